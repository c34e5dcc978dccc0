import { join, relative } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { holdsMask, maskSecrets, toCommandLine } from '../../documents/foreign.js';
import type { InputIn } from '../../registry/spec.js';
import { computeContentTree } from '../../work/content.js';
import { runWithOutputOnStderr } from '../../work/pass-on.js';
import type { GroupEnd } from '../../work/processes.js';
import { type Identified, listEntries } from './book.js';
import type { Entries } from './book-schema.js';
import { judgeFreshness } from './freshness.js';
import type { PictureContext } from './gather.js';
import { BOOK, type Memory, type Recorded, requireBook } from './memory.js';
import { buildRecordedAnswer, recordAndAnswer, recordJudgment } from './setters.js';
import type { MEMORY_SPECS } from './specs.js';
import { createKeeper, type Keeper } from './text.js';

type Verification = Entries['verification'];

/** Maximum seconds that a repeated command may take. */
const REPEATED_SECONDS = 300;

/** Maximum length in characters of the arguments stored to repeat a command; longer commands are not repeated. */
const LONGEST_ARGV = 4_000;

/**
 * `memory verify` (memory.md, Commands).
 * @param cwd absolute
 * @throws DevCliError `COMMAND_FAILED` for a command that cannot be run or that a signal ended, in which case nothing
 * is recorded; `DATA_MISSING`; `INTERRUPTED`; as `recordJudgments`
 */
export function recordVerification(
  scene: PictureContext,
  input: InputIn<typeof MEMORY_SPECS, 'memory verify'>,
  cwd: string,
): Promise<Answer> {
  if (input.argv !== undefined) return runNow(scene, input.argv, cwd);
  return input.text === undefined ? repeat(scene) : tell(scene, input.text, input.outcome ?? 'unknown');
}

async function runNow(scene: PictureContext, argv: readonly string[], cwd: string): Promise<Answer> {
  await requireBook(scene.memory);
  const { recorded, moved } = await runOne(scene, argv, { cwd, reads: true });
  const { outcome, command } = recorded.entry as Verification;
  const masked = holdsMask(command) ? { masked: true } : {};
  const answer = buildRecordedAnswer(recorded, { ...masked, ...(moved ? { advice: MOVED } : {}) });
  return outcome === 'passed' ? answer : { ...answer, exit: 1, json: { ...answer.json, ok: false } };
}

const MOVED =
  'Files changed while the command ran, so its result proves nothing about the present files. Repeat it once no file changes; files that the command itself writes belong in .gitignore.';

/** Runs a command, and records how it ended. */
async function runOne(
  { context, memory, options }: PictureContext,
  argv: readonly string[],
  how: { cwd: string; reads: boolean; seconds?: number },
): Promise<{ recorded: Recorded; moved: boolean }> {
  const { workTree, clock, signal } = context;
  const before = await computeContentTree(workTree, options);
  const begun = clock.now();
  const end = await runWithOutputOnStderr(argv, { env: options.env ?? process.env, signal, ...how });
  // Counts as 0 seconds if the clock was set back while the command ran.
  const took = Math.max(0, Math.round((clock.now() - begun) / 1000));
  const content = await computeContentTree(workTree, options);
  const keeper = createKeeper();
  const line = toCommandLine(argv);
  const cwd = relative(workTree, how.cwd) || '.';
  const holdsSecret = holdsMask(line) || [...argv, cwd].some((one) => maskSecrets(one) !== one);
  const isRepeatable = !holdsSecret && argv.join('').length <= LONGEST_ARGV;
  const ended = describeEnd(end, line, took);
  const recorded = await recordJudgment(memory, () => ({
    kind: 'verification',
    entry: {
      command: keeper.keep(line, 'the command'),
      ...ended,
      how: 'ran',
      // The content from before the command ran: the result is proof for that content, not for changes made since.
      content: before,
      ...(isRepeatable ? { argv: [...argv] } : {}),
      cwd: maskSecrets(cwd),
      place: memory.streams.place(BOOK),
    },
  }));
  return { recorded, moved: before !== content && before !== null && content !== null };
}

/** Describes how a command ended. @throws DevCliError `COMMAND_FAILED` if the way it ended proves nothing */
function describeEnd(
  end: GroupEnd,
  line: string,
  seconds: number,
): Pick<Verification, 'result' | 'outcome'> & { exit?: number } {
  switch (end.end) {
    case 'exit': {
      const outcome = end.code === 0 ? 'passed' : 'failed';
      return { result: `exit ${end.code} after ${seconds} s`, outcome, exit: end.code };
    }
    case 'time':
      return { result: `no end after ${end.seconds} s`, outcome: 'unknown' };
    case 'signal':
      throw failed(`${line} was ended by ${end.signal}`, 'Run it again.');
    case 'unstarted':
      throw failed(
        `${line} could not be started (${end.code})`,
        'Name a program that is on the PATH, and give each argument as a separate word; to use a shell: sh -c LINE',
      );
    case 'interrupted':
      throw new DevCliError('INTERRUPTED', 'Interrupted.');
  }
}

function failed(what: string, fix: string): DevCliError {
  return new DevCliError('COMMAND_FAILED', `${what.slice(0, 300)}; nothing was recorded.`, { fix });
}

async function tell(scene: PictureContext, text: string, outcome: Verification['outcome']): Promise<Answer> {
  const { context, memory, options } = scene;
  const keeper = createKeeper();
  const content = await computeContentTree(context.workTree, options);
  const entry = { ...readClaim(keeper, text, '--text', outcome), content };
  const advice = text.includes('->') ? {} : { advice: 'Also state the result: "COMMAND -> RESULT".' };
  return recordAndAnswer(memory, { keeper, ...advice }, () => ({ kind: 'verification', entry }));
}

/** Reads a claim, `COMMAND -> RESULT`. @throws DevCliError `DATA_MISSING` */
export function readClaim(keeper: Keeper, text: string, target: string, outcome: Verification['outcome']) {
  const at = text.indexOf('->');
  const [command, result] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 2)];
  const kept = { command: keeper.keep(command, target), result: keeper.keep(result, target) ?? outcome };
  return { ...kept, outcome, how: 'told' as const };
}

/** Repeats the commands whose results do not hold for the current content, oldest first. */
async function repeat(scene: PictureContext): Promise<Answer> {
  const { context, memory, options } = scene;
  const { workTree } = context;
  const { book, warnings } = await requireBook(memory);
  const ran: object[] = [];
  const skipped: object[] = [];
  let passed = true;
  let anyMoved = false;
  for (const entry of listEntries(book, 'verification')) {
    const freshness = judgeFreshness(entry, await computeContentTree(workTree, options));
    if (freshness === 'told' || freshness === 'fresh') continue;
    const why = findObstacle(memory, entry);
    if (why !== null || entry.argv === undefined) {
      skipped.push({ id: entry.id, command: entry.command, why });
      continue;
    }
    const how = { cwd: join(workTree, entry.cwd ?? '.'), reads: false, seconds: REPEATED_SECONDS };
    try {
      const { recorded, moved } = await runOne(scene, entry.argv, how);
      const said = recorded.entry as Verification;
      anyMoved ||= moved;
      passed &&= said.outcome === 'passed';
      ran.push({ id: recorded.id, entry: said });
    } catch (error) {
      // If a command can no longer be run, the others are still repeated.
      if (!(error instanceof DevCliError) || error.code !== 'COMMAND_FAILED') throw error;
      passed = false;
      skipped.push({ id: entry.id, command: entry.command, why: error.message });
    }
  }
  const told = { ...(anyMoved && { advice: MOVED }), ...(warnings.length > 0 && { warnings }) };
  return {
    exit: passed ? 0 : 1,
    json: { ok: passed, stored: ran.length === 0 ? 'none' : 'replaced', ran, skipped, ...told },
  };
}

/** Returns why a command is not repeated here; null if it can be. */
function findObstacle(memory: Memory, { argv, place, command, cwd = '' }: Identified<'verification'>): string | null {
  if (place !== memory.streams.place(BOOK)) return 'it was recorded elsewhere';
  if (argv !== undefined) return null;
  return holdsMask(`${command} ${cwd}`)
    ? 'it contains a secret, which is not recorded'
    : 'it is too long to be recorded';
}
