import { isRecord } from '../../../../src/base/json.js';
import type { Entry } from '../../../../src/store/store.js';
import type { Image } from '../../../support/image.js';
import { entriesOf } from './rebuild.js';
import type { Call } from './story.js';
import { documentOf } from './story.js';

// Replaces everything that necessarily differs between two runs of one story: times, run ids, digests, inodes. The rest
// is compared literally.

/**
 * Matches files on which nothing depends: temporary files and objects of a killed process, and files that are written
 * independently of commits.
 */
const LEFTOVER = /(^|\/)lock\.[^/]+$|\/context\/plan-move\.json$|\.\d{5,}$|\/objects\/[0-9a-f]{64}(\.tmp)?$/;

export function isLeftover(path: string): boolean {
  return LEFTOVER.test(path);
}

/** Whether a path is the lock of a run or of the root. */
export function isLock(path: string): boolean {
  return /^(specs\/[^/]+\/)?lock$/.test(path);
}

/** The duration of a run (documents.md, Cost) in report.md and summary.md. */
const TAKEN = /(\d+ calls? by agents\b.*?)(?:, (?:\d+ s|\d+m\d\ds|\d+h\d\dm)(?: of them at gates)?)+$/gm;

export function normalText(text: string, root: string): string {
  return text
    .replaceAll(root, '<root>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{6}/g, '<run>')
    .replace(/\b[0-9a-f]{64}\b/g, '<digest>')
    .replace(/"(inode|mtimeMs|ctimeMs|size)": ?[\d.]+/g, '"$1":0')
    .replace(TAKEN, '$1, <time>')
    .replace(/"((?:report|summary)\.md)":\d+/g, '"$1":0');
}

/** Converts each file of an image to a comparable form, in which the entries that a recovery added are left out. */
export function normalImage(image: Image, root: string): Map<string, string> {
  const normal = new Map<string, string[]>();
  for (const [path, content] of image) {
    // A dead process's lock is harmless, because the next process that needs it breaks it.
    if (isLeftover(path) || isLock(path)) continue;
    const run = /^specs\/([^/]+)\/(events\.jsonl|state\.json)$/.exec(path);
    const form = run === null ? ofRoot(image, path, content) : ofRun(image, run[1] ?? '', content, run[2] ?? '');
    // Replacing run ids may give several files the same name. Their contents are sorted, because their order in the
    // image depends on the random ids.
    const name = normalText(path, root);
    normal.set(name, [...(normal.get(name) ?? []), normalText(form, root)].sort());
  }
  return new Map([...normal].map(([name, forms]) => [name, forms.join('\n')]));
}

/**
 * Normalizes the answer to a repeated command that had already been done. Keeps the outcome and the next action; the
 * rest of its report may differ.
 */
export function normalRepeated(call: Call, root: string): string {
  const document = documentOf(call);
  if (document === null) return normalText(call.stdout + call.stderr, root);
  const { ok, run, error, next } = document;
  return `${call.exit} ${normalText(JSON.stringify({ ok, run, error, next }), root)}`;
}

/**
 * Normalizes the answer to a command that had not been done before it was repeated. Leaves out the warning that an
 * incomplete last line was removed from the journal.
 */
export function normalAnswer(call: Call, root: string): string {
  const document = documentOf(call);
  if (document === null) return normalText(call.stdout + call.stderr, root);
  const { warnings: all = [], ...rest } = document;
  const warnings = all.filter((warning) => !/ was torn; /.test(warning));
  return `${call.exit} ${normalText(JSON.stringify({ ...rest, warnings }), root)}`;
}

/** Renumbers the entries in `guard`, which names the entry from which each run is guarded. */
function ofRoot(image: Image, path: string, content: Buffer): string {
  const text = content.toString('utf8');
  if (path !== 'guard') return text;
  return text.replace(
    /^(\S+) (\d+)$/gm,
    (_, run: string, seq: string) => `${run} ${undisturbed(journalOf(image, run), Number(seq))}`,
  );
}

/** Returns the number that an entry would have if no recovery had added entries before it. */
function undisturbed(entries: readonly Entry[], seq: number): number {
  return seq - entries.filter((entry) => entry.type === 'recovered' && entry.seq <= seq).length;
}

function journalOf(image: Image, run: string): Entry[] {
  return entriesOf(image.get(`specs/${run}/events.jsonl`));
}

function ofRun(image: Image, run: string, content: Buffer, name: string): string {
  const entries = journalOf(image, run);
  if (name === 'events.jsonl') {
    const kept = entries.filter(({ type }) => type !== 'recovered');
    return kept
      .map(({ type, by, data, files, marks }) =>
        JSON.stringify({ type, by, data, marks, files: files.map(({ path }) => path) }),
      )
      .join('\n');
  }
  const state: unknown = JSON.parse(content.toString('utf8'));
  if (!isRecord(state)) return String(state);
  return JSON.stringify({ ...state, recovered: [] }, (key, value) =>
    key === 'seq' || key === 'issuedSeq' ? undisturbed(entries, value) : value,
  );
}
