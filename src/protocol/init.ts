import type { Answer } from '../base/answer.js';
import { instant } from '../base/clock.js';
import { DevCliError } from '../base/errors.js';
import { checkedName } from '../base/name.js';
import { beginDraft } from '../blocks/draft-begin.js';
import { planGateOf } from '../blocks/plan-gate.js';
import { readDraft } from '../documents/draft.js';
import { foreignLine } from '../documents/foreign.js';
import { PREFERENCES_FILE } from '../recipe/preferences.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import { answerBy, type Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import { record, type Turn } from '../run/turn.js';
import { SCHEMA_VERSION } from '../run/version.js';
import { recipeOfRun } from '../run/workflow.js';
import { isOurs, RULES, readRules } from '../store/gitignore.js';
import type { Head } from '../store/store.js';
import { baselineOf, type Present, readPresent } from '../work/git.js';
import { isSeen } from '../work/ignored.js';
import { abortRun } from './abort.js';
import { begin } from './advance.js';
import { envelope, joined, type Told, toldBy } from './envelope.js';
import { type AtWork, endRunning, settleCommands } from './external.js';
import { planBack, readMended } from './mended.js';
import { type Asked, askForNeeds, passOver } from './needs.js';
import { freshFields, freshWorkflow } from './phases.js';
import { type InitInput, type Prepared, prepareRecipe, runExists } from './prepare.js';
import { type Rare, withRare } from './rare.js';
import { pendingId } from './running.js';
import { capturedOf, capturedOrNone, commitOf, movedLine, openTurn } from './turns.js';
import { alreadyWritten, earlierRun, refuseSameGoal } from './under-way.js';
import { makeActive } from './use.js';

/**
 * `init`: starts a run and gives its first action, or resumes the one that is there (protocol.md §5).
 * @throws DevCliError `RUN_EXISTS`, `RUN_ACTIVE`, `RUN_SAME_GOAL`, `FILES_OVERLAP`, `GOAL_MISSING`, `MODE_CONTRADICTION`, `UNKNOWN_RECIPE`,
 * `RECIPE_INVALID`, `RECIPE_UNTRUSTED`, `UNKNOWN_PREFERENCE`, `NEEDS_MISSING`, `IDENTITY_MISSING`; a failed init leaves nothing
 * behind
 */
export async function init(context: Context, given: string, input: InitInput): Promise<Answer> {
  const until = answerBy(context);
  const name = checkedName(given);
  await refuseSecondRun(context, name, input);
  const present = await presentRun(context, name);
  const { settled, notices } = await settledRun(context, name, input);
  const asked = await askForNeeds(context, settled);
  const { prepared, unheard } = await settledCommands(context, asked.prepared, input);
  if (prepared.kind === 'new') await refuseSameGoal(context, name, input);
  const watch = prepared.kind === 'new' ? await firstLook(context) : NOT_WATCHED;
  if (prepared.kind === 'new' && watch.tree !== null) await requireIdentity(context, prepared.captured);
  let abandoned: AtWork[] = [];
  const told = await withRare(
    (rare) =>
      context.store.transact<Told>(name, (head) => {
        const resumable = resumableRun(head, prepared, input);
        if (resumable !== null) {
          const turn = openTurn(context, head, resumable, capturedOf(head, rare.recompile), rare);
          turn.warnings.push(...resumable.recovered, ...head.notices);
          const moved = movedLine(head, rare.planMoved);
          if (moved !== null) turn.warnings.push(moved);
          return { answer: resumed(turn, input) };
        }
        if (prepared.kind === 'resume') throw changedMeanwhile();
        const state = freshState(context, head, name, prepared, watch.tree);
        const earlier = earlierRun(context, head);
        const planGate = earlier === null ? null : planGateOf(earlier, capturedOrNone(head, rare.recompile));
        if (planGate !== null) state.planGate = planGate;
        const turn = openTurn(context, head, state, prepared.captured, rare, earlier);
        turn.warnings.push(...notices, ...head.notices, ...prepared.warnings, ...watch.warnings, ...unheard);
        abandoned = start(turn, context, head, { ...asked, prepared }, rare);
        return commitOf(turn, head, { ...toldBy(turn), status: 'initialized' });
      }),
    { context, known: { tree: () => watch.tree } },
  );
  for (const command of abandoned) await endRunning(context, name, command);
  const unbound = await bindSession(context, name);
  if (told.status === 'resumed' && isOfRoot(present)) await makeActive(context, name);
  const later = await settleCommands(context, name, until, pendingId(present));
  const all = later === null ? told : joined(told, later);
  return envelope({ ...all, warnings: [...all.warnings, ...unbound] });
}

/** The run that is there. Of an unfinished one nothing is missing; what has ended makes room, as it is. */
async function presentRun(context: Context, name: string): Promise<RunState | null> {
  const { snapshot } = await context.store.read(name);
  const goesOn = snapshot?.status === 'live' || snapshot?.status === 'halted';
  return goesOn ? (await readMended(context, name)).snapshot : snapshot;
}

/** What is said of a plan that is missing or cut short. */
const NO_PLAN = ['PLAN_MISSING', 'PLAN_EDITED'];

/** What the run is to be made of. A plan that is to be executed, and has vanished, is put back first. */
async function settledRun(
  context: Context,
  name: string,
  input: InitInput,
): Promise<{ settled: Prepared; notices: string[] }> {
  try {
    return { settled: prepareRecipe(context, name, input, await context.store.read(name)), notices: [] };
  } catch (error) {
    if (!(error instanceof DevCliError) || !NO_PLAN.includes(error.code)) throw error;
    const notices = await planBack(context, name);
    if (notices.length === 0) throw error;
    return { settled: prepareRecipe(context, name, input, await context.store.read(name)), notices };
  }
}

/** The run is there by now: that its session cannot be bound to it is a warning, not a failed init. */
async function bindSession({ store, session }: Context, name: string): Promise<string[]> {
  try {
    if (session !== null) await store.bindSession(session, name);
    return [];
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return [`this session is not bound to the run, so name it in every command: ${error.message}`];
  }
}

/**
 * `approve_commands: auto` counts when it was given with --set, or by preferences that somebody stands for: whoever writes
 * the plan could have written the file as well (engine.md, First).
 */
async function settledCommands(
  context: Context,
  prepared: Prepared,
  { set }: InitInput,
): Promise<{ prepared: Prepared; unheard: string[] }> {
  const settled = { prepared, unheard: [] };
  if (prepared.kind === 'resume' || prepared.preferences['approve_commands'] !== 'auto') return settled;
  if (set?.['approve_commands'] === 'auto') return settled;
  const { preferencesVouched } = await import('./trust-preferences.js');
  const text = context.reader.read(`${context.root}/${PREFERENCES_FILE}`);
  if (text !== null && (await preferencesVouched(context, text))) return settled;
  return {
    prepared: { ...prepared, preferences: { ...prepared.preferences, approve_commands: 'ask' } },
    unheard: [
      `approve_commands: auto does not count: ${PREFERENCES_FILE} is not committed as it is, and the user has not trusted it (\`dev-cli trust preferences\`, in a terminal)`,
    ],
  };
}

/**
 * A run that will commit needs a name and an address for its commits: asked for before anybody works.
 * @throws DevCliError `IDENTITY_MISSING`
 */
async function requireIdentity(context: Context, { recipe, workflow }: CapturedRecipe): Promise<void> {
  const recipes = workflow === undefined ? [recipe] : workflow.phases.map((phase) => phase.recipe);
  if (recipes.every(({ engine }) => engine === undefined)) return;
  const { missingIdentity } = await import('../work/identity.js');
  const said = await missingIdentity(context.workTree, { signal: context.signal });
  if (said === null) return;
  throw new DevCliError('IDENTITY_MISSING', 'git knows no name and address for the commits of this run.', {
    details: [{ target: 'git', problem: foreignLine(said, 500) }],
    fix: 'Ask the user to set them, `git config user.name "…"` and `git config user.email "…"`; then repeat the same command.',
  });
}

/** Characters of a run's goal that a warning quotes. */
const GOAL_SHOWN = 200;

/** The work tree as the run finds it, or why what changes in it cannot be noticed. */
export interface FirstLook {
  tree: Present | null;
  warnings: string[];
}

const NOT_WATCHED: FirstLook = { tree: null, warnings: [] };

/** A repository that git refuses to read is no reason not to plan; it is one to say so. */
export async function firstLook(context: Context): Promise<FirstLook> {
  try {
    const tree = await readPresent(context.workTree, { signal: context.signal });
    if (tree !== null) return { tree, warnings: rulesWarning(context) };
    return { tree, warnings: ['no git repository here: changes outside .dev/ cannot be noticed'] };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    const reason = error.details[0]?.problem ?? error.message;
    return { tree: null, warnings: [`git cannot be asked, so changes outside .dev/ are not noticed: ${reason}`] };
  }
}

/** Ignore rules of the user's own are left alone; that they do not keep runs from git is said. */
function rulesWarning({ root }: Context): string[] {
  const rules = `${RULES} is not dev-cli's and lets git see the runs: git clean and git stash -u would take them`;
  const text = readRules(root) ?? null;
  if (text === null || isOurs(text) || !isSeen(root, '.dev/specs/any/state.json')) return [];
  return [`${rules}; add a line /specs/*/* to it, or move it away and dev-cli writes its own`];
}

/** @throws DevCliError `RUN_ACTIVE` when this session is bound to another unfinished run */
async function refuseSecondRun(context: Context, name: string, input: InitInput): Promise<void> {
  if (context.session === null || input.new === true) return;
  const bound = await context.store.session(context.session);
  if (bound === null || bound === name || !(await isUnfinished(context, bound))) return;
  throw new DevCliError('RUN_ACTIVE', `This session is at work on "${bound}", which is not finished.`, {
    run: bound,
    fix: { command: 'next', input: { name: bound } },
    instead: { command: 'init', input: { name, ...input, new: true } },
  });
}

/** A run that cannot be read holds nobody back: its own commands tell what is wrong with it. */
async function isUnfinished(context: Context, name: string): Promise<boolean> {
  try {
    return (await context.store.read(name)).snapshot?.status === 'live';
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}

/** The run that init continues: live or halted, of the same recipe, and not forced away. */
function resumableRun(head: Head<RunState>, prepared: Prepared, input: InitInput): RunState | null {
  const { snapshot } = head;
  if (snapshot === null || input.force === true) return null;
  if (snapshot.status !== 'live' && snapshot.status !== 'halted') return null;
  if (recipeOfRun(snapshot) === prepared.recipe) return snapshot;
  throw runExists(snapshot);
}

function resumed(turn: Turn, input: InitInput): Told {
  const { goal } = turn.state;
  if (input.goal !== undefined && input.goal.trim() !== (goal ?? '').trim()) {
    const own = goal === null ? 'it has none' : JSON.stringify(foreignLine(goal, GOAL_SHOWN));
    turn.warnings.push(`another goal was given; the run keeps the one it began with: ${own}`);
  }
  turn.warnings.push(...alreadyWritten(turn));
  if (input.set !== undefined) turn.warnings.push('--set changes nothing: the run keeps what it began with');
  return { ...toldBy(turn), status: 'resumed' };
}

/** An id that no other run has (storage.md, Identity). */
export function newRunId(context: Context, at: string): string {
  return `${instant(Date.parse(at)).replace(/[-:]|\.\d+/g, '')}-${context.ids.hex(6)}`;
}

function freshState(
  context: Context,
  head: Head<RunState>,
  name: string,
  prepared: Extract<Prepared, { kind: 'new' }>,
  tree: Present | null,
): RunState {
  const { captured } = prepared;
  const at = head.at;
  return {
    schemaVersion: SCHEMA_VERSION,
    runId: newRunId(context, at),
    name,
    status: 'live',
    outcome: null,
    ...freshFields(captured.recipe),
    mode: prepared.mode,
    goal: prepared.goal,
    vars: prepared.vars,
    earlierRun: head.snapshot?.runId ?? null,
    written: [],
    origin: null,
    workTree: context.workTree === context.root ? '.' : context.workTree,
    place: context.store.home(name),
    phase: 'agent',
    lastAction: head.snapshot?.lastAction ?? 0,
    acknowledged: {},
    gates: {},
    lastHuman: null,
    stops: {},
    reviewRounds: [],
    warnings: [],
    recovered: [],
    workflow: captured.workflow === undefined ? null : freshWorkflow(captured.workflow),
    // What an earlier run of the name has opened is still the pull request of this work.
    ...(head.snapshot?.pullRequest === undefined ? {} : { pullRequest: head.snapshot.pullRequest }),
    events: [],
    preferences: prepared.preferences,
    baseline: tree === null ? null : baselineOf(tree),
    cliVersion: context.cliVersion,
    recipeHash: captured.digest,
    createdAt: at,
    updatedAt: at,
    seq: head.seq,
  };
}

function start(
  turn: Turn,
  context: Context,
  head: Head<RunState>,
  asked: Asked & { prepared: Extract<Prepared, { kind: 'new' }> },
  rare: Rare,
): AtWork[] {
  const { state } = turn;
  const abandoned = endEarlier(turn, context, head, rare);
  record(turn, 'init', {
    recipe: recipeOfRun(state),
    recipeHash: state.recipeHash,
    goal: state.goal,
    mode: state.mode,
    cliVersion: state.cliVersion,
  });
  turn.files.write('recipe.json', `${JSON.stringify(asked.prepared.captured)}\n`);
  const recipes = turn.captured.workflow?.phases.map(({ recipe }) => recipe) ?? [turn.captured.recipe];
  if (recipes.some(({ usesDraft }) => usesDraft)) openDraft(turn, head);
  passOver(turn, asked);
  begin(turn);
  return abandoned;
}

/** `--force`: the run that is there is aborted in the same commit. Gives the commands that it leaves at work. */
function endEarlier(turn: Turn, context: Context, head: Head<RunState>, rare: Rare): AtWork[] {
  const { snapshot } = head;
  if (snapshot === null || (snapshot.status !== 'live' && snapshot.status !== 'halted')) return [];
  const captured = capturedOrNone(head, rare.recompile);
  const earlier = openTurn(context, head, structuredClone(snapshot), captured, rare);
  const abandoned = abortRun(earlier, 'a new run was started with --force');
  turn.entries.push(...earlier.entries);
  for (const { path, content } of earlier.files.changes()) if (content !== null) turn.files.write(path, content);
  return abandoned;
}

/** A draft that somebody brought along is adopted; one of an earlier run makes room and is kept beside it. */
function openDraft(turn: Turn, head: Head<RunState>): void {
  const present = turn.files.text('DRAFT.md');
  if (present !== null && head.snapshot === null) readDraft(present);
  else if (present !== null) {
    const aside = `DRAFT.before-${turn.state.runId}.md`;
    turn.files.write(aside, present);
    turn.warnings.push(`DRAFT.md of the earlier run is now ${aside}`);
    turn.files.remove('DRAFT.md');
  }
  beginDraft(turn);
}

/** Whether the run belongs to the root itself, so that it can be the active one. */
function isOfRoot(state: RunState | null): boolean {
  return state !== null && state.origin === null && state.workTree === '.';
}

function changedMeanwhile(): DevCliError {
  return new DevCliError('RUN_ENDED', 'The run ended while init was looking at it.', { fix: 'Run init again.' });
}
