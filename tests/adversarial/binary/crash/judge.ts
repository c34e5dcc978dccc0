import { sha256 } from '../../../../src/base/sha256.js';
import { RUN_LAYOUT } from '../../../../src/project/layout.js';
import { toRootRelative } from '../../../../src/store/layout.js';
import type { Entry } from '../../../../src/store/store.js';
import { readEntryContent } from '../../../../src/store/texts.js';
import type { Image } from '../../../support/image.js';
import type { Told } from './lane.js';
import { isLeftover, isLock, normalImage, normalText } from './normal.js';
import { entriesOf, rebuilt } from './rebuild.js';
import { type Call, documentOf } from './story.js';

/** Judges the files after a call of the binary; each returned line describes a problem. */

/** Files of the root. No commit covers them, so they may be as before or as after the command. */
const OF_THE_ROOT = /^(guard|active-spec|\.gitignore|sessions\/[^/]+)$/;

/**
 * Judges the state that a cut left, before anything repairs it. The journal must be as before or one commit longer.
 * Each changed document must have a content that the new commits name, the snapshot must not be ahead of the journal,
 * and nothing that was acknowledged may be lost.
 */
export function judgeCut(
  told: Told,
  image: Image,
  call: Call,
  root: string,
): { problems: string[]; happened: boolean } {
  const problems: string[] = [];
  const journal = `specs/${told.step.run}/events.jsonl`;
  const was = told.before.get(journal) ?? Buffer.alloc(0);
  const is = image.get(journal) ?? Buffer.alloc(0);
  if (!is.subarray(0, was.length).equals(was)) problems.push('the journal lost what it held');
  const entries = entriesOf(is);
  const cut: Cut = { told, image, root, entries, added: entries.slice(entriesOf(was).length), commits: commits(told) };
  const happened = cut.added.length > 0;
  if (documentOf(call) !== null && cut.commits && !happened)
    problems.push('an answer was printed that is not recorded');
  for (const path of new Set([...told.before.keys(), ...image.keys()])) {
    if (path === journal || isLeftover(path) || isLock(path)) continue;
    if (digest(image, path) === digest(told.before, path)) continue;
    problems.push(...judgeChange(cut, path).map((problem) => `${path}: ${problem}`));
  }
  problems.push(...judgeObjects(image, told.step.run, entries));
  return { problems, happened };
}

/** A call that was cut, and the state after the cut. */
interface Cut {
  told: Told;
  image: Image;
  root: string;
  /** All entries of the journal, and those that this call added. */
  entries: Entry[];
  added: Entry[];
  /** Whether the undisturbed command commits at all. */
  commits: boolean;
}

function commits({ step, before, after }: Told): boolean {
  const journal = `specs/${step.run}/events.jsonl`;
  return entriesOf(after.get(journal)).length > entriesOf(before.get(journal)).length;
}

/** Judges a file that differs from its state before the command. */
function judgeChange({ told, image, root, entries, added, commits }: Cut, path: string): string[] {
  if (OF_THE_ROOT.test(path) || !commits) {
    const whole = normalOf(image, path, root) === normalOf(told.after, path, root);
    return whole ? [] : ['neither as before nor as after'];
  }
  const now = digest(image, path);
  if (path === `specs/${told.step.run}/state.json`) return judgeState(image.get(path), entries);
  if (digestsGiven(added, told.step.run, path).includes(now)) return [];
  return [`${now === null ? 'gone' : 'changed'}, and no commit says so`];
}

/** Judges the state after the command was repeated: it must be as after an undisturbed call, with no effect twice. */
export function judgeEnd(told: Told, image: Image, root: string): string[] {
  const wanted = normalImage(told.after, root);
  const found = normalImage(image, root);
  const problems: string[] = [];
  for (const path of new Set([...wanted.keys(), ...found.keys()])) {
    const [a, b] = [wanted.get(path), found.get(path)];
    if (a === b) continue;
    if (a === undefined) problems.push(`${path}: left behind`);
    else if (b === undefined) problems.push(`${path}: missing`);
    else problems.push(`${path}: not as undisturbed: ${difference(a, b)}`);
  }
  const entries = entriesOf(image.get(`specs/${told.step.run}/events.jsonl`));
  problems.push(...judgeJournal(entries), ...judgeObjects(image, told.step.run, entries));
  const state = image.get(`specs/${told.step.run}/state.json`)?.toString('utf8') ?? null;
  if (rebuilt(entries) !== state) problems.push('the journal does not replay to state.json byte for byte');
  return problems;
}

/** Checks that each action is issued once, in order, and acknowledged at most once. */
function judgeJournal(entries: readonly Entry[]): string[] {
  const problems: string[] = [];
  const idsOf = (type: string): number[] =>
    entries.flatMap((entry) => (entry.type === type ? [Number(String(entry.data['actionId']).slice(1))] : []));
  const issued = idsOf('issued');
  if (issued.some((id, i) => id !== i + 1)) problems.push(`actions are not handed out in order: ${issued.join(' ')}`);
  const acknowledged = idsOf('acknowledged');
  if (new Set(acknowledged).size < acknowledged.length) problems.push(`acknowledged twice: ${acknowledged.join(' ')}`);
  entries.forEach(({ seq }, i) => {
    if (seq !== i + 1) problems.push(`entry ${i + 1} has number ${seq}`);
  });
  return problems;
}

/** Checks that every content that the journal names exists and matches its digest. */
function judgeObjects(image: Image, run: string, entries: readonly Entry[]): string[] {
  const named = new Set(entries.flatMap(({ files }) => files.flatMap(({ after }) => after ?? [])));
  return [...named].flatMap((name) => {
    if (entries.some((entry) => readEntryContent(entry, name) !== null)) return [];
    const content = image.get(`specs/${run}/objects/${name}`);
    if (content === undefined) return [`the content ${name} is missing`];
    return sha256(content) === name ? [] : [`objects/${name} holds something else`];
  });
}

function judgeState(content: Buffer | undefined, entries: readonly Entry[]): string[] {
  const text = content?.toString('utf8') ?? '';
  const seq = Number(/^ "seq": (\d+)/m.exec(text)?.[1]);
  if (!entries.some((entry) => entry.seq === seq)) return ['ahead of the journal, or torn'];
  return rebuilt(entries.filter((entry) => entry.seq <= seq)) === text ? [] : ['not what the journal says'];
}

/** Lists the digests that a document has had in a run's commits. */
function digestsGiven(entries: readonly Entry[], run: string, path: string): (string | null)[] {
  return entries.flatMap(({ files }) =>
    files.flatMap((file) => (toRootRelative(RUN_LAYOUT, run, file.path) === `.dev/${path}` ? [file.after] : [])),
  );
}

function digest(image: Image, path: string): string | null {
  const content = image.get(path);
  return content === undefined ? null : sha256(content);
}

function normalOf(image: Image, path: string, root: string): string | null {
  const content = image.get(path);
  return content === undefined ? null : normalText(content.toString('utf8'), root);
}

/** Shows where two texts first differ, with some text on either side. */
export function difference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  return `${around(b)} instead of ${around(a)}`;
}
