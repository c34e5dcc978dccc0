import { isRecord } from '../../../../src/base/json.js';
import type { Entry } from '../../../../src/store/store.js';
import type { Image } from '../../../support/image.js';
import { entriesOf } from './rebuild.js';
import type { Call } from './story.js';
import { documentOf } from './story.js';

// What two runs of one story cannot have in common is replaced: instants, run ids, digests, inodes. What remains is compared
// literally.

/**
 * What a process that was killed may leave under a name of its own, and what it has found out beside every commit: nothing depends
 * on it.
 */
const LEFTOVER = /(^|\/)lock\.[^/]+$|\/context\/plan-move\.json$|\.\d{5,}$|\/objects\/[0-9a-f]{64}(\.tmp)?$/;

export function isLeftover(path: string): boolean {
  return LEFTOVER.test(path);
}

/** A lock that is held: of a run, or of the root. */
export function isLock(path: string): boolean {
  return /^(specs\/[^/]+\/)?lock$/.test(path);
}

/** How long a run took (documents.md, Cost), in report.md and summary.md. */
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

/** Each file of an image in a form that can be compared; what a commit of recovery adds is taken out again. */
export function normalImage(image: Image, root: string): Map<string, string> {
  const normal = new Map<string, string[]>();
  for (const [path, content] of image) {
    // The lock of a dead process is broken by whoever needs it next.
    if (isLeftover(path) || isLock(path)) continue;
    const run = /^specs\/([^/]+)\/(events\.jsonl|state\.json)$/.exec(path);
    const form = run === null ? ofRoot(image, path, content) : ofRun(image, run[1] ?? '', content, run[2] ?? '');
    // Files named after run ids may have one name now; which came first depends on ids made by chance.
    const name = normalText(path, root);
    normal.set(name, [...(normal.get(name) ?? []), normalText(form, root)].sort());
  }
  return new Map([...normal].map(([name, forms]) => [name, forms.join('\n')]));
}

/** What a command answers that was done before: its report may be another one, what comes next may not. */
export function normalRepeated(call: Call, root: string): string {
  const document = documentOf(call);
  if (document === null) return normalText(call.stdout + call.stderr, root);
  const { ok, run, error, next } = document;
  return `${call.exit} ${normalText(JSON.stringify({ ok, run, error, next }), root)}`;
}

/** The whole answer, for a command that had not been done before; but for the note that a torn end was cut. */
export function normalAnswer(call: Call, root: string): string {
  const document = documentOf(call);
  if (document === null) return normalText(call.stdout + call.stderr, root);
  const { warnings: all = [], ...rest } = document;
  const warnings = all.filter((warning) => !/ was torn; /.test(warning));
  return `${call.exit} ${normalText(JSON.stringify({ ...rest, warnings }), root)}`;
}

/** The file `guard` names the entry from which on a run guards. */
function ofRoot(image: Image, path: string, content: Buffer): string {
  const text = content.toString('utf8');
  if (path !== 'guard') return text;
  return text.replace(
    /^(\S+) (\d+)$/gm,
    (_, run: string, seq: string) => `${run} ${undisturbed(journalOf(image, run), Number(seq))}`,
  );
}

/** The number that an entry of a run has where nothing had to be recovered. */
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
