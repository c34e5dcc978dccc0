import { basename, dirname } from 'node:path';
import type { Mutation } from './calls.js';

// What a power cut leaves depends on the order in which contents and names become durable. This model goes through a
// command's calls and tracks which files and names are not synced to the disk yet. When the journal, a document or the
// snapshot is written, or the answer printed, everything needed for that must be durable (storage.md, Proofs).

/** A lock is void once its process is gone, so it does not matter whether it is durable. */
const isLock = (path: string): boolean => /^lock(\.|$)/.test(basename(path));
const isJournal = (path: string): boolean => basename(path) === 'events.jsonl';
const inObjects = (path: string): boolean => basename(dirname(path)) === 'objects';
/**
 * Files that must be durable before an answer: the journal, large contents, their directories, and the root's files.
 * Everything else can be rebuilt from the journal.
 */
const isRelied = (path: string): boolean =>
  isJournal(path) ||
  inObjects(path) ||
  /\/\.dev(\/(specs(\/[^/]+(\/objects)?)?|sessions(\/[^/]+)?|[^/]+))?$/.test(path);

class Owed {
  /** Files with unsynced contents. */
  readonly contents = new Set<string>();
  /**
   * Names created, changed or removed since their directory was last synced. The value is true if the name did not
   * exist at that sync.
   */
  readonly names = new Map<string, boolean>();

  came(path: string): void {
    this.names.set(path, !this.names.has(path) || this.names.get(path) === true);
  }

  replaced(path: string, existed: boolean): void {
    this.names.set(path, this.names.get(path) ?? !existed);
  }

  went(path: string): void {
    // A name created and removed between two syncs leaves no trace.
    if (this.names.get(path) === true) this.names.delete(path);
    else this.names.set(path, false);
    this.contents.delete(path);
  }

  synced(directory: string): void {
    for (const path of this.names.keys()) if (dirname(path) === directory) this.names.delete(path);
  }
}

/**
 * Checks that one command's calls are in the order that a commit needs: large contents before the journal; the journal
 * before documents and the snapshot; and everything that an answer relies on, names included, before the answer.
 * Returns each violation once.
 * @param before the absolute paths that existed before the command
 */
export function breachesOf(mutations: readonly Mutation[], before: ReadonlySet<string>): string[] {
  const owed = new Owed();
  const present = new Set(before);
  const breaches = new Set<string>();
  let early: string[] | null = [];
  for (const mutation of mutations) {
    if (mutation.failed || isLock(mutation.path)) continue;
    for (const breach of breachAt(mutation, owed)) breaches.add(breach);
    const effect = effectOf(mutation);
    if (effect !== null) early?.push(effect);
    if (commits(mutation)) {
      for (const path of early ?? []) breaches.add(`${short(path)} changes before the commit`);
      // Only documents put in place before the first journal write are too early. Later ones may belong to this commit
      // even if another one follows.
      early = null;
    }
    apply(mutation, owed, present);
  }
  return [...breaches];
}

const commits = ({ op, path }: Mutation): boolean => op === 'write' && isJournal(path);

/** Returns the document or snapshot of a run that a call changes. */
function effectOf({ op, path, to }: Mutation): string | null {
  const target = op === 'rename' ? (to ?? path) : path;
  if (!['rename', 'unlink', 'write'].includes(op) || !/\/specs\/[^/]+\/./.test(target)) return null;
  return isJournal(target) || inObjects(target) || /\.(tmp|\d{5,})$/.test(target) ? null : target;
}

function breachAt(mutation: Mutation, owed: Owed): string[] {
  const { path } = mutation;
  const open = [...owed.contents, ...owed.names.keys()].filter(isRelied);
  if (path === 'stdout') return open.map((other) => `the answer is printed before ${short(other)} is durable`);
  if (commits(mutation)) {
    return open.filter(inObjects).map((other) => `the journal is written before ${short(other)} is durable`);
  }
  const effect = effectOf(mutation);
  if (effect === null) return [];
  const early = [...owed.contents].some(isJournal) ? [`${short(effect)} changes before the journal is durable`] : [];
  return early;
}

function apply(mutation: Mutation, owed: Owed, present: Set<string>): void {
  const { op, path, to, made = [], directory } = mutation;
  switch (op) {
    case 'open':
      if (mutation.existed !== true) owed.came(path);
      present.add(path);
      return;
    case 'write':
    case 'ftruncate':
    case 'truncate':
      owed.contents.add(path);
      return;
    case 'fsync':
    case 'fdatasync':
      if (directory) owed.synced(path);
      else owed.contents.delete(path);
      return;
    case 'mkdir':
      for (const each of made) owed.came(each);
      return;
    case 'link':
      owed.came(to ?? path);
      return;
    case 'rename':
      if (owed.contents.delete(path)) owed.contents.add(to ?? path);
      owed.went(path);
      owed.replaced(to ?? path, present.has(to ?? path));
      present.delete(path);
      present.add(to ?? path);
      return;
    case 'unlink':
    case 'rmdir':
    case 'rm':
      owed.went(path);
      present.delete(path);
  }
}

/** Shortens a path to the part within the run or within `.dev`. */
function short(path: string): string {
  return path.replace(/^.*\/\.dev\/(specs\/[^/]+\/)?/, '').replace(/[0-9a-f]{64}/, '<digest>');
}
