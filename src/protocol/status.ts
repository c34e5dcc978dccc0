import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { type Instruction, sentence, type Written } from '../base/invocation.js';
import { type ChangedApproval, changedApprovals } from '../blocks/approvals.js';
import { inRecipeOrder } from '../blocks/recipe-order.js';
import { foreignLine } from '../documents/foreign.js';
import { commandLine } from '../documents/plan-text.js';
import { executionView } from '../engine/view/execution.js';
import { changedSources } from '../recipe/captured.js';
import type { ResolvedRecipe } from '../recipe/resolved.js';
import { choicesOf } from '../run/acknowledgements.js';
import type { EngineDispatchAction, RunningAction } from '../run/action.js';
import { onDigest, whoSaid } from '../run/approvals-told.js';
import type { ReadContext } from '../run/context.js';
import type { ExecutionView } from '../run/execution-view.js';
import { requestLine } from '../run/request.js';
import type { RunState, Workflow } from '../run/state.js';
import { recipeOfRun } from '../run/workflow.js';
import type { Head } from '../store/store.js';
import { duration } from '../views/duration.js';
import { MARKS } from '../views/status-marks.js';
import { executionLines } from '../views/status-tree.js';
import { FIRST_RUN, findRun } from './find-run.js';
import { NOTHING_RARE, withRare } from './rare.js';
import { readRun } from './running.js';
import { type Asking, capturedOf, movedLine, openTurn } from './turns.js';

interface Input {
  /** As text: every todo of a long plan, with what it has been through. */
  full?: boolean;
}

/** `status`: who waits for whom since when and what the reader can do, then the blocks and todos (protocol.md §5). */
export function status(context: ReadContext, given: unknown, input: Input = {}): Promise<Answer> {
  return withRare((rare) => statusOf(context, given, rare, input));
}

/** The same with what is rare handed in, for who can do without it. */
export async function statusOf(
  context: ReadContext,
  given: unknown,
  rare: Asking,
  { full = false }: Input = {},
): Promise<Answer> {
  const name = await findRun(context, given, false);
  return statusAnswer(context, await readRun(context, name), rare, full);
}

/** What `status` tells of a run that was read. */
export function statusAnswer(
  context: ReadContext,
  head: Head<RunState> & { snapshot: RunState },
  { recompile, planMoved }: Asking,
  full: boolean,
): Answer {
  const { snapshot: state, notices } = head;
  const captured = capturedOf(head, recompile);
  const changed = changedSources(captured, context.reader, context.root);
  const approvals = changedApprovals(openTurn(context, head, state, captured, NOTHING_RARE));
  const moved = movedLine(head, planMoved);
  const waiting = whoWaits(state);
  const json = {
    run: state.name,
    recipe: recipeOfRun(state),
    status: state.status,
    goal: state.goal,
    waitsFor: state.phase,
    ...(state.workflow === null ? {} : { workflow: state.workflow }),
    ...(state.pullRequest === undefined ? {} : { pullRequest: state.pullRequest }),
    block: state.currentBlock,
    since: state.pendingAction?.issuedAt ?? state.updatedAt,
    now: waiting.now,
    you: waiting.you,
    steps: Object.fromEntries(inRecipeOrder(captured.recipe, state.steps)),
    agents: state.agents,
    gates: gatesNow(state, captured.recipe, approvals),
    execution: executionView(state, captured.recipe.engine),
    warnings: [
      ...state.warnings,
      ...approvals.map(({ block, choice, path }) => `${path} changed since "${block}" was answered with "${choice}"`),
      ...changed.map((path) => `${path} changed since this run began`),
      ...(moved === null ? [] : [moved]),
    ],
    recovered: [...state.recovered, ...notices],
    updatedAt: state.updatedAt,
  };
  return {
    exit: 0,
    json,
    text: (written) => text(context, state, json, { you: sentence(waiting.you, written), full }),
  };
}

/** Characters of a warning; one about a changed plan names todos and how to take them up. */
const WARNING_CAP = 500;

interface Waiting {
  now: string;
  you: Instruction;
}

const NOTHING: Instruction = ['nothing to do'];

/** Whose turn it is, and what the reader can do about it. */
function whoWaits(state: RunState): Waiting {
  const action = state.pendingAction?.action;
  if (action === undefined) return { now: state.status, you: NOTHING };
  if (action.action === 'done') {
    const ended = `${action.outcome}: ${action.summary}`;
    if (state.engine?.waits?.head === true) {
      const taken = { command: 'approve', input: { name: state.name } };
      return { now: ended, you: ['commits wait because of where HEAD is; to have them made there: ', taken] };
    }
    return { now: ended, you: action.resume === undefined ? NOTHING : ['reopen it: ', action.resume] };
  }
  if (action.action === 'running') return { now: `waiting for dev-cli: ${workLine(action)}`, you: NOTHING };
  if (action.action === 'engine-dispatch') return { now: `waiting for the agent: ${tasksLine(action)}`, you: NOTHING };
  if (action.action === 'wait-for-user') {
    const choices = (choicesOf(action) ?? []).map((choice) => choice.id).join(', ');
    const how = action.human === 'required' ? 'decide: ' : "answer in the agent's session, or: ";
    return {
      now: `waiting for you: ${foreignLine(action.message, 300)}`,
      you: [how, { command: 'approve', input: { name: state.name } }, ` (choices: ${choices})`],
    };
  }
  if (action.asks === 'user') {
    return { now: `waiting for you: the agent asks about "${action.block}"`, you: ["answer in the agent's session"] };
  }
  return { now: `waiting for the agent: ${action.block} (${action.actionId})`, you: NOTHING };
}

/** What dev-cli is at: a command with its todo and log, or a commit. */
function workLine({ commands: [command] }: RunningAction): string {
  if (command === undefined) return 'at work';
  const { todoId = null, id, run, log } = command;
  const whose = id === undefined ? '' : ` (${[...(todoId === null ? [] : [todoId]), id].join(' ')})`;
  return `${foreignLine(commandLine(run), 200)}${whose}, log ${log}`;
}

/** Tasks that are named; the tree below has them all. */
const TASKS_NAMED = 4;

function tasksLine({ tasks, running }: EngineDispatchAction): string {
  const out = [...running, ...tasks];
  const named = out.slice(0, TASKS_NAMED).map(({ todoId, substep }) => `${todoId ?? 'the run'} ${substep}`);
  const more = out.length > TASKS_NAMED ? ` and ${out.length - TASKS_NAMED} more` : '';
  return `${out.length} ${out.length === 1 ? 'task' : 'tasks'} out: ${named.join(', ')}${more}`;
}

type GateNow = RunState['gates'][string] & { changed?: true };

/** Gates with whether what was decided on has changed since. */
function gatesNow(state: RunState, recipe: ResolvedRecipe, approvals: ChangedApproval[]): Record<string, GateNow> {
  const rows = inRecipeOrder(recipe, state.gates).map(([id, gate]): [string, GateNow] => {
    return [id, approvals.some(({ block }) => block === id) ? { ...gate, changed: true } : gate];
  });
  return Object.fromEntries(rows);
}

interface Told {
  now: string;
  warnings: string[];
  recovered: string[];
  steps: RunState['steps'];
  gates: Record<string, GateNow>;
  execution: ExecutionView | null;
}

function text(
  context: ReadContext,
  state: RunState,
  json: Told,
  { you, full }: { you: string; full: boolean },
): string {
  const now = context.clock.now();
  const ago = (at: string) => duration(now - Date.parse(at));
  const since = state.pendingAction?.issuedAt ?? state.updatedAt;
  const request = requestLine(state);
  const rows = json.execution === null ? stepLines(json) : executionLines(json.execution, { now, full });
  const selfReported = Object.entries(state.agents)
    .filter(([, agent]) => agent.selfReported === true)
    .map(([id]) => `${id} reported by itself, without a file`);
  return [
    `${state.name}  ${recipeOfRun(state)}  ${state.status} ${ago(state.createdAt)}`,
    `goal   ${foreignLine(state.goal ?? '(none)', 200)}`,
    `now    ${json.now}${state.status === 'live' ? ` (${ago(since)})` : ''}`,
    `you    ${you}`,
    ...(request === null ? [] : [`pull   ${request}`]),
    '',
    ...(state.workflow === null ? rows : phaseLines(state.workflow, rows)),
    ...[...json.warnings, ...selfReported].map((line) => `!      ${foreignLine(line, WARNING_CAP)}`),
    ...json.recovered.map((line) => `mended ${foreignLine(line, 200)}`),
  ].join('\n');
}

function stepLines({ steps, gates }: Told): string[] {
  const width = Math.max(...Object.keys(steps).map((id) => id.length));
  return Object.entries(steps).map(([id, step]) => {
    const extra = [
      ...((step.round ?? 1) > 1 ? [`round ${step.round}`] : []),
      ...(step.retries === undefined ? [] : [`${step.retries} retries`]),
      ...(step.status === 'stale' ? ['to be redone'] : []),
      ...(step.summary === undefined ? [] : [foreignLine(step.summary, 100)]),
      ...gateWords(gates[id]),
      ...(gates[id]?.changed === true ? ['changed since'] : []),
    ];
    return `${MARKS[step.status]} ${id.padEnd(width)}  ${extra.join(', ')}`.trimEnd();
  });
}

/** Who answered a gate, and about what. */
function gateWords(gate: GateNow | undefined): string[] {
  return gate === undefined || gate.stale === true ? [] : [`by ${whoSaid(gate.by)}${onDigest(gate.digest)}`];
}

/** The phases of a workflow, the blocks of the one at work below it. */
function phaseLines(workflow: Workflow, steps: string[]): string[] {
  const width = Math.max(...workflow.phases.map(({ name }) => name.length));
  return workflow.phases.flatMap(({ name, recipe, status: mark, retries, summary }, index) => {
    const extra = [
      recipe,
      ...(retries === undefined ? [] : [`begun anew ${retries} ${retries === 1 ? 'time' : 'times'}`]),
      ...(summary === undefined ? [] : [foreignLine(summary, 150)]),
    ];
    const here = index === workflow.phaseIndex && workflow.currentPhase === name;
    const line = `${MARKS[mark]} ${name.padEnd(width)}  ${extra.join(', ')}`;
    return [line, ...(here ? steps.map((step) => `    ${step}`) : [])];
  });
}

/** `list`: every run of this root with what it waits for. A run that cannot be read is shown as such. */
export async function list(context: ReadContext): Promise<Answer> {
  const rows: Record<string, string>[] = [];
  for (const name of await context.store.streams()) {
    try {
      const { snapshot: state } = await context.store.read(name);
      if (state === null) continue;
      rows.push({
        name,
        skill: state.skill,
        recipe: recipeOfRun(state),
        state: state.status,
        where: state.currentBlock ?? '',
        waitsFor: state.status === 'live' ? state.phase : '',
        updated: state.updatedAt,
      });
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      rows.push({ name, skill: '', recipe: '', state: error.code, where: '', waitsFor: '', updated: '' });
    }
  }
  const active = await context.store.active();
  return { exit: 0, json: { runs: rows, active }, text: (written) => table(context, rows, active, written) };
}

function table(context: ReadContext, rows: Record<string, string>[], active: string | null, written: Written): string {
  if (rows.length === 0) return `No runs yet. Start one: ${written(FIRST_RUN)}`;
  const keys = ['name', 'skill', 'recipe', 'state', 'where', 'waitsFor', 'updated'];
  const cells = rows.map((row) =>
    keys.map((key) => {
      if (key === 'updated')
        return row['updated'] === '' ? '' : `${duration(context.clock.now() - Date.parse(row['updated'] ?? ''))} ago`;
      return key === 'name' && row['name'] === active ? `${row['name']} *` : (row[key] ?? '');
    }),
  );
  const all = [['NAME', 'SKILL', 'RECIPE', 'STATE', 'WHERE', 'WAITS FOR', 'UPDATED'], ...cells];
  const widths = keys.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
