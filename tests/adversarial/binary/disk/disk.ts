import { basename, dirname } from 'node:path';
import type { Image } from '../../../support/image.js';
import type { Random } from '../../../support/seeded.js';

// A model of a disk. After a power cut it still has everything that was synced, and any part of what was not
// (storage.md, Proofs). The model is fed every recorded call that changes something. Files written by processes whose
// calls are not recorded count as synced.

/** A call as hooks/disk.cjs recorded it; paths are relative to `.dev`. */
export interface DiskCall {
  op: 'create' | 'write' | 'sync' | 'truncate' | 'rename' | 'link' | 'remove' | 'mkdir';
  path: string;
  to?: string;
  /** The topmost directory that a mkdir created; default: the path itself, unless it existed. */
  made?: string;
  data?: Buffer;
  size?: number;
}

interface Inode {
  content: Buffer;
  /** The content that is certainly on the disk; null if none is certain. */
  synced: Buffer | null;
}

type Entry = Inode | 'directory';

/** How much unsynced data survives a power cut. */
export type Mood = 'nothing' | 'names only' | 'all' | 'anything';

const BLOCK = 512;

export class Disk {
  private constructor(
    private names: Map<string, Entry>,
    private durable: Map<string, Entry>,
  ) {}

  static empty(): Disk {
    return new Disk(new Map(), new Map());
  }

  /** Copies the disk, so that a trial does not change the original. */
  copy(): Disk {
    const inodes = new Map<Inode, Inode>();
    const copied = (entry: Entry): Entry => {
      if (entry === 'directory') return entry;
      const known = inodes.get(entry) ?? { ...entry };
      inodes.set(entry, known);
      return known;
    };
    const all = (names: ReadonlyMap<string, Entry>) =>
      new Map([...names].map(([path, entry]) => [path, copied(entry)]));
    return new Disk(all(this.names), all(this.durable));
  }

  /**
   * Adds the files that other processes have written. Their contents differ from what the recorded calls would give;
   * they count as synced.
   */
  reconcile(image: Image): void {
    for (const [path, content] of image) {
      const entry = this.names.get(path);
      if (entry !== undefined && entry !== 'directory' && entry.content.equals(content)) continue;
      const inode = { content, synced: content };
      for (const names of [this.names, this.durable]) {
        names.set(path, inode);
        for (let at = dirname(path); at !== '.'; at = dirname(at)) names.set(at, 'directory');
      }
    }
    for (const [path, entry] of this.names) {
      if (entry === 'directory' || image.has(path)) continue;
      this.names.delete(path);
      this.durable.delete(path);
    }
  }

  take({ op, path, to = '', made, data = Buffer.alloc(0), size = 0 }: DiskCall): void {
    const entry = this.names.get(path);
    const inode = entry === 'directory' ? undefined : entry;
    switch (op) {
      case 'create':
        if (inode === undefined) this.names.set(path, { content: Buffer.alloc(0), synced: null });
        else inode.content = Buffer.alloc(0);
        return;
      case 'write':
        if (inode !== undefined) inode.content = Buffer.concat([inode.content, data]);
        return;
      case 'truncate':
        if (inode !== undefined) inode.content = inode.content.subarray(0, size);
        return;
      case 'sync':
        if (inode !== undefined) inode.synced = inode.content;
        else this.syncDirectory(path);
        return;
      case 'mkdir':
        for (let at = path; at !== '.'; at = dirname(at)) {
          this.names.set(at, 'directory');
          if (at === (made ?? path)) return;
        }
        return;
      case 'link':
      case 'rename':
        if (entry !== undefined) this.names.set(to, entry);
        if (op === 'rename') this.names.delete(path);
        return;
      case 'remove':
        this.names.delete(path);
    }
  }

  private syncDirectory(path: string): void {
    const isIn = (name: string): boolean => dirname(name) === path || (path === '.' && !name.includes('/'));
    for (const name of this.durable.keys()) if (isIn(name) && !this.names.has(name)) this.durable.delete(name);
    for (const [name, entry] of this.names) if (isIn(name)) this.durable.set(name, entry);
  }

  /** Returns the files that are found after a power cut. */
  cut(random: Random, mood: Mood): Map<string, Buffer> {
    const kept = (): boolean =>
      mood === 'all' || mood === 'names only' || (mood === 'anything' && random.below(2) === 1);
    const found = new Map<string, Entry>();
    for (const path of new Set([...this.names.keys(), ...this.durable.keys()])) {
      const [now, then] = [this.names.get(path), this.durable.get(path)];
      const entry = now === then || kept() ? now : then;
      if (entry !== undefined) found.set(path, entry);
    }
    const image = new Map<string, Buffer>();
    for (const [path, entry] of found) {
      if (entry === 'directory' || !isReachable(found, path)) continue;
      image.set(path, leftOf(entry, random, mood));
    }
    return image;
  }
}

function isReachable(found: ReadonlyMap<string, Entry>, path: string): boolean {
  for (let at = dirname(path); at !== '.'; at = dirname(at)) if (found.get(at) !== 'directory') return false;
  return true;
}

function leftOf({ content, synced }: Inode, random: Random, mood: Mood): Buffer {
  if (synced?.equals(content) || mood === 'all') return content;
  if (mood !== 'anything') return synced ?? Buffer.alloc(0);
  // Data appended to a file leaves the old data intact; a rewritten file may hold anything.
  const base = synced !== null && content.subarray(0, synced.length).equals(synced) ? synced.length : 0;
  const length = base + Math.floor(random.below(content.length - base + 1) / BLOCK) * BLOCK;
  switch (random.below(5)) {
    case 0:
      return content;
    case 1:
      return synced ?? Buffer.alloc(0);
    case 2:
      return content.subarray(0, length);
    case 3:
      return Buffer.concat([content.subarray(0, base), Buffer.alloc(content.length - base)]);
    default: {
      const torn = Buffer.from(content);
      torn.fill(0, length);
      return torn;
    }
  }
}

/** Whether a file is void: the lock of a dead process, or a temporary file. */
export function isLeftover(path: string): boolean {
  return /^lock(\.|$)/.test(basename(path)) || /\.(\d{5,}|tmp)$/.test(path);
}
