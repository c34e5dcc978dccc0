// door: recovery

import { readBoxes, tickBoxes } from '../../plan/page/boxes.js';
import type { Entry, JournalPast } from '../../store/store.js';
import type { EntryData } from '../entries.js';
import { findLastEngine } from '../facts.js';
import {
  getOwnNotesPath,
  listCommitNotes,
  listWrapUpNotes,
  NOTE_HEADS,
  type NoteAddition,
  renderOutputs,
} from '../notes.js';
import { OUTPUTS, PLAN } from '../paths.js';
import type { RunState } from '../state.js';

/** A document that no entry holds, rendered from entries and state (storage.md, Renderings). */
export interface Rendering {
  content: Buffer;
  /** Returns whether `present` is all or part of an earlier content of the document, so that a later write was lost. */
  isOlder: (present: Buffer) => boolean;
}

/** Takes entries, oldest first, and collects the data from which documents can be rendered. */
export interface RenderingCollector {
  take(entry: Entry): void;
  /** The paths of the documents whose last change is in no entry. */
  paths(): ReadonlySet<string>;
  /** Renders these documents for the state after the last entry; leaves out those that cannot be rendered. */
  render(state: RunState, contents: JournalPast['contents']): ReadonlyMap<string, Rendering>;
}

/** How a rendered document has changed since an entry last held all of its content. */
interface Course {
  /** Digest of the last content in an entry; null if there was none. */
  base: string | null;
  /** The texts appended since then. */
  additions: string[];
  /** Todos whose boxes were ticked since then. */
  ticked: string[];
  /** The run that last rendered the document; null if its latest content is in an entry. */
  runId: string | null;
}

/** Creates a collector that has taken no entry yet. */
export function collectRenderings(): RenderingCollector {
  const courses = new Map<string, Course>();
  let commit: Entry[] = [];

  function finish(entries: readonly Entry[], last: Entry): void {
    for (const { path, after } of last.files)
      courses.set(path, { base: after, additions: [], ticked: [], runId: null });
    const rendered = last.rendered ?? [];
    if (rendered.length === 0) return;
    const own = new Set(last.files.map(({ path }) => path));
    const additions = entries.flatMap(listAdditions).filter(({ path, todo }) => !own.has(getOwnNotesPath(path, todo)));
    for (const path of rendered) {
      const course = courses.get(path) ?? { base: null, additions: [], ticked: [], runId: null };
      course.additions.push(...additions.flatMap((addition) => (addition.path === path ? addition.text : [])));
      if (path === PLAN) course.ticked.push(...entries.flatMap(listTicked));
      course.runId = String(last.data['runId']);
      courses.set(path, course);
    }
  }

  const rendered = () => [...courses].filter(([, { runId }]) => runId !== null);
  return {
    take(entry) {
      commit.push(entry);
      if (entry.more) return;
      finish(commit, entry);
      commit = [];
    },
    paths: () => new Set(rendered().map(([path]) => path)),
    render(state, contents) {
      const found = contents(rendered().flatMap(([, { base }]) => base ?? []));
      return new Map(
        rendered().flatMap(([path, course]) => {
          const base = course.base === null ? null : found.get(course.base);
          const rendering = base === undefined ? null : render(path, course, base, state);
          return rendering === null ? [] : [[path, rendering] as const];
        }),
      );
    },
  };
}

function listAdditions({ type, at, data }: Entry): NoteAddition[] {
  switch (type) {
    case 'wrapped-up':
      return listWrapUpNotes(at, data as EntryData<'wrapped-up'>);
    case 'committed':
      return listCommitNotes(at, data as EntryData<'committed'>);
    default:
      return [];
  }
}

function listTicked({ type, data }: Entry): string[] {
  return type === 'wrapped-up' ? [String(data['todoId'])] : [];
}

function render(path: string, course: Course, base: Buffer | null, state: RunState): Rendering | null {
  if (path === PLAN) return base === null ? null : renderTicked(base.toString('utf8'), course.ticked);
  if (path === OUTPUTS) return course.runId === state.runId ? renderValues(state) : null;
  if (!Object.hasOwn(NOTE_HEADS, path)) return null;
  const content = Buffer.from(
    (base?.toString('utf8') ?? NOTE_HEADS[path as keyof typeof NOTE_HEADS]) + course.additions.join(''),
  );
  // Notes are only ever appended to. An older content is therefore the beginning of this one, which `isTorn`
  // recognizes.
  return { content, isOlder: () => false };
}

/** Renders PLAN.md with the boxes of these todos ticked. @param ids in the order in which they were ticked */
function renderTicked(base: string, ids: readonly string[]): Rendering {
  const content = Buffer.from(tickBoxes(base, new Set(ids)));
  return {
    content,
    isOlder(present) {
      // An interrupted write may leave bytes of two versions. Versions differ only in which boxes are ticked, so every
      // byte left is one of the newest version or of the base.
      const isWhole = present.length === content.length && !present.includes(0);
      if (!isWhole && isRemnant(present, content, Buffer.from(base))) return true;
      const text = present.toString('utf8');
      const boxes = readBoxes(text);
      const count = ids.findIndex((id) => boxes[id] !== true);
      return count >= 0 && tickBoxes(base, new Set(ids.slice(0, count))) === text;
    },
  };
}

/** Renders context/outputs.json. Only dev-cli writes this file, so any other content is an older version of it. */
function renderValues(state: RunState): Rendering | null {
  const engine = findLastEngine(state);
  return engine === null ? null : { content: Buffer.from(renderOutputs(engine)), isOlder: () => true };
}

/**
 * Returns whether `present` is the beginning of `whole`, or all of it, possibly with zeros in place of a part.
 * @param or another version of the same length as `whole`; `present` may mix bytes of both versions
 */
export function isRemnant(present: Buffer, whole: Buffer, or: Buffer = whole): boolean {
  const isKept = (byte: number, at: number): boolean => byte === 0 || byte === whole[at] || byte === or[at];
  return present.length <= whole.length && present.every(isKept);
}
