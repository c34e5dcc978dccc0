import { parseOrNull } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { endCommand } from '../../../jobs/detached.js';
import { hasBegun } from '../../../jobs/launch.js';
import { readJobText, readLogEnd } from '../../../jobs/records.js';
import { removeBelowHome, writePrivateFile } from '../../../project/own-places.js';
import { parsePointer } from '../../../recipe/source/yaml.js';
import { readStats } from '../../../store/inside.js';
import { executeGit } from '../../../work/git-command.js';
import { findCommitOf } from '../../../work/trees.js';
import { type EarlierAttempt, type GoalPromptFacts, MAX_EARLIER_ATTEMPTS, renderPrompt } from '../core/prompt.js';
import { findDecision, nameVariant } from '../decisions/ticket.js';
import type { LoopGoal } from '../goals.js';
import { type AttemptSite, findRecords, type NamedCommand, runCommand, type StepEnd } from '../site.js';
import { nameRecords, nameReference } from '../state.js';
import type { Attempt, GoalRecord } from '../state-schema.js';
import { LOOP } from '../streams.js';
import { type Filling, fillCommandTemplate, parseTemplate } from '../template.js';
import { HANDOFFS } from './handoffs.js';

/** Characters of a diff that are read for a prompt, which shows fewer. */
const DIFF_READ = 8_000;

/** Placeholder for the name of a handoff in previews. */
const NAME_FORM = '<YYYY-MM-DD_HHMMSS>.md';

/** Returns the name of a session's records. */
export const nameSession = ({ sessions }: Pick<Attempt, 'sessions'>): string => `session-${sessions}`;

/**
 * Runs a new session of the tool in the attempt's tree, or waits for the one that is running (loop-core.md, auto, steps
 * 2 and 3). Runs on the machine that has the tree.
 * @throws DevCliError `IO`, `COMMAND_FAILED`; `USAGE` for a prompt that is too long for an argument
 */
export async function runSession(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<StepEnd> {
  const begun = isSessionBegun(site, attempt);
  const fact = await runCommand(
    site,
    attempt,
    begun ? nameCommand(site, attempt) : await buildCommand(site, attempt, goal),
  );
  // The interruption is marked in a file, because a later call, not the interrupted one, may report the session's end.
  const mark = `${findRecords(site, attempt)}/${nameSession(attempt)}.stopped`;
  if (fact.interrupted) writePrivateFile(mark, '', site.context.root);
  const cost = readCost(site, attempt);
  const patch = { costUsd: attempt.costUsd + cost, host: null };
  return { event: 'ENDED', patch: readStats(mark) === undefined ? patch : { ...patch, stopped: true } };
}

/**
 * Ends a session that ran in a tree which this machine no longer has, and deletes its records, so that the session
 * starts again in a new tree.
 * @throws DevCliError `IO`, `COMMAND_FAILED`
 */
export async function forgetSession(site: AttemptSite, attempt: Attempt): Promise<void> {
  if (attempt.state !== 'session' || !isSessionBegun(site, attempt)) return;
  await endCommand(`${findRecords(site, attempt)}/${nameSession(attempt)}`);
  const own = `loop/${nameRecords(attempt)}/${nameSession(attempt)}`;
  for (const path of [own, `${own}.stopped`]) removeBelowHome(site.context.root, path);
}

/** Returns whether the current session has begun, so that its work must be kept. */
export const isSessionBegun = (site: AttemptSite, attempt: Attempt): boolean =>
  hasBegun(`${findRecords(site, attempt)}/${nameSession(attempt)}`);

async function buildCommand(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<NamedCommand> {
  const { context } = site;
  const records = findRecords(site, attempt);
  const promptFile = `${records}/prompt.md`;
  const prompt = await buildPrompt(site, attempt, goal);
  writePrivateFile(promptFile, prompt, context.root);
  const filling = { prompt, promptFile, goal: goal.id, run: attempt.run ?? '', root: context.root };
  const { argv, stdin } = fill(site.findTool(goal), filling);
  return { ...nameCommand(site, attempt), argv, ...(stdin === null ? {} : { stdin }) };
}

/** Builds the command of a session without the parts that only its start needs. */
function nameCommand({ config }: AttemptSite, attempt: Attempt): NamedCommand {
  const seconds = config.timeout_minutes * 60;
  return { name: nameSession(attempt), argv: [], line: toBoundedLine(attempt.tool, 200), shell: false, seconds };
}

/** The part of the site that is needed to build a prompt. */
type PromptSite = Pick<AttemptSite, 'context' | 'config' | 'streams' | 'tellContext' | 'variant' | 'top' | 'git'>;
type Prompted = Pick<Attempt, 'goal' | 'n' | 'run' | 'from'> & {
  /** The name of the handoff that the session writes; null if it writes none, because a result is handed in instead. */
  handoff: string | null;
};

/** Builds the prompt of a session, from the current files of the root. @throws DevCliError as `tellContext`, `IO` */
async function buildPrompt(site: PromptSite, attempt: Prompted, goal: LoopGoal): Promise<string> {
  const { config, streams } = site;
  const known: GoalRecord | undefined = (await streams.read(LOOP)).goals[goal.id];
  return renderPrompt({
    goal,
    context: await site.tellContext(goal.id),
    handoff: attempt.handoff === null ? null : `${HANDOFFS}/${attempt.handoff}`,
    testCommand: config.test_command,
    protectedPaths: config.protected_paths,
    run: attempt.run,
    decision: await tellDecision(site, goal),
    notes: known?.notes ?? [],
    tried: await listTried(site, attempt),
    continues: attempt.from !== null,
  });
}

/**
 * Returns the decision that a goal's session must follow or, in a spike, the alternative that it tries. Includes the
 * ticket's reference only if it exists and belongs to that alternative.
 */
async function tellDecision(
  { context, variant, top, git }: PromptSite,
  goal: LoopGoal,
): Promise<GoalPromptFacts['decision']> {
  if (variant !== undefined) return { kind: 'tried', ...variant, ref: null };
  const found = findDecision(context, goal);
  if (found === null || 'why' in found) return null;
  const tried = nameVariant(found.id, found.alternative);
  const isOfIt = (ref: string) => ref === nameReference({ goal: tried, n: Number(ref.split('/').at(-1)) });
  const ref = found.refs.filter(isOfIt).at(-1);
  const isThere = ref !== undefined && (await findCommitOf(top, ref, git)) !== null;
  return { kind: 'decided', ...found, ref: isThere ? ref : null };
}

/**
 * Builds the prompt with which a goal's next attempt would begin.
 * @param tool null: the prompt is for a worker outside the loop, who hands in a result (loop-operations.md, Packets)
 * @throws DevCliError as `buildPrompt`; `USAGE` for one that is too long for an argument of the tool
 */
export async function previewPrompt(site: PromptSite, goal: LoopGoal, tool: string | null): Promise<string> {
  const last = (await site.streams.read(LOOP)).goals[goal.id]?.n ?? 0;
  const attempt = { goal: goal.id, n: last + 1, run: null, from: null, handoff: tool === null ? null : NAME_FORM };
  const prompt = await buildPrompt(site, attempt, goal);
  if (tool !== null) fill(tool, { prompt, promptFile: 'prompt.md', goal: goal.id, run: '', root: site.context.root });
  return prompt;
}

function fill(tool: string, filling: Filling): ReturnType<typeof fillCommandTemplate> {
  const template = parseTemplate(tool);
  if ('problem' in template) throw new Error(`not a template: ${tool}`);
  return fillCommandTemplate(template, filling);
}

/** Lists the results of the goal's last attempts, from their records; skips attempts without a verdict. */
async function listTried(site: PromptSite, { goal, n, from }: Prompted): Promise<EarlierAttempt[]> {
  const tried: EarlierAttempt[] = [];
  for (let number = n - 1; number > 0 && tried.length < MAX_EARLIER_ATTEMPTS; number -= 1) {
    const records = findRecords(site, { goal, n: number });
    const found = parseOrNull(readJobText(`${records}/verdict.json`)) as VerdictDocument | null;
    if (found === null) continue;
    const shown = ['diff', '--no-color', '--no-ext-diff', `${found.base}..${nameReference({ goal, n: number })}`];
    const diff = found.ref === null ? '' : await executeGit(site.top, shown, site.git).then(toText, () => '');
    const { classification, reason, tests = '' } = found;
    // Omits output of passed tests, and changes that are in the tree already.
    const isThere = from !== null && number === n - 1;
    const red = found.checks?.[0]?.exit === 0 ? '' : tests;
    tried.unshift({ n: number, classification, reason, diff: isThere ? '' : diff.slice(0, DIFF_READ), tests: red });
  }
  return tried;
}

/** The parts of `verdict.json` that are read again. */
interface VerdictDocument {
  classification: string;
  reason: string;
  base: string;
  ref: string | null;
  tests?: string;
  checks?: readonly { exit: number | null }[];
}

const toText = (bytes: Buffer): string => bytes.toString('utf8');

/** Reads the cost that the session reports in the last line of its output; `cost` is a JSON pointer into that line. */
function readCost(site: AttemptSite, attempt: Attempt): number {
  const { cost } = site.config;
  if (cost === null) return 0;
  const last =
    readLogEnd(`${findRecords(site, attempt)}/${nameSession(attempt)}`, 64_000)
      .split('\n')
      .at(-1) ?? '';
  const found = parsePointer(cost).reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null)?.[key],
    parseOrNull(last),
  );
  return typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : 0;
}
