import type { Answer } from '../base/answer.js';
import { omitUndefined } from '../base/defined.js';
import { formatDuration } from '../base/duration.js';
import { type Instruction, renderInstruction } from '../base/invocation.js';
import { joinFirst, renderCount } from '../base/words.js';
import { describeDecider, renderDigest } from '../blocks/approvals.js';
import { toCommandName } from '../documents/command-words.js';
import { toBoundedLine } from '../documents/foreign.js';
import { sortByRecipe } from '../recipe/declared.js';
import { listChangedSources } from '../recipe/load/captured.js';
import type { Action, EngineDispatchAction, RunningAction } from '../run/action.js';
import { type RunCost, renderCost } from '../run/cost.js';
import { listArtifactsWritten } from '../run/documents/artifacts.js';
import { getSize, hasSize } from '../run/facts.js';
import { displayPath } from '../run/paths.js';
import { findChoices } from '../run/pending-action.js';
import type { GateState } from '../run/recipe-state.js';
import { renderPullRequest } from '../run/request.js';
import type { RunState, Workflow } from '../run/state.js';
import { buildExecutionView } from './execution.js';
import { renderTextRow, type TextRow } from './rows.js';
import { type RenderedSection, type RunView, renderSections, type Section } from './run-view.js';
import { SIGNS } from './signs.js';
import { describeHold, describeProposal, describeRunEnd, type WaitsFor } from './standstill.js';
import { renderExecution } from './status-tree.js';

/** The options for building the status of a run. */
export interface StatusOptions {
  /** Sections of wings, which come last. */
  sections: readonly Section[];
  /** Whether the text shows every todo of a long plan, with its evidence. */
  full: boolean;
  /** The cost of the run, if it is to be shown. */
  cost: RunCost | undefined;
}

/** Builds the answer to `status` for a run: JSON for programs, text for people (protocol.md §5). */
export function buildStatus(run: RunView, { sections, full, cost }: StatusOptions): Pick<Answer, 'json' | 'text'> {
  const status = buildStatusJson(run, cost);
  const added = renderSections(run, 'status', sections);
  const more = added.length === 0 ? {} : { sections: Object.fromEntries(added.map(({ id, text }) => [id, text])) };
  return {
    json: { ...status, ...more },
    text: (format) =>
      listStatusRows(run, status, { you: renderInstruction(status.you, format), full, added })
        .map(renderTextRow)
        .join('\n'),
  };
}

type Status = ReturnType<typeof buildStatusJson>;

/** Builds the output of `status --json`, without the sections of wings. */
export function buildStatusJson(run: RunView, cost: RunCost | undefined) {
  const { state, captured, changedApprovals, planMoved, recovered, files, place } = run;
  return {
    run: state.name,
    recipe: state.recipe,
    skill: state.skill,
    mode: state.mode,
    status: state.status,
    goal: state.goal,
    ...(hasSize(state) ? { size: getSize(state) } : {}),
    waitsFor: state.phase,
    ...(state.workflow === null ? {} : { workflow: withoutEarlier(state.workflow) }),
    ...omitUndefined({ pullRequest: state.pullRequest, cost }),
    block: state.currentBlock,
    ...describeWaiting(state),
    steps: Object.fromEntries(sortByRecipe(captured.recipe, state.steps)),
    agents: state.agents,
    gates: listGates(run),
    execution: buildExecutionView(run),
    ...(planMoved === null ? {} : { planMoved: planMoved.changes }),
    warnings: [
      ...state.warnings,
      ...changedApprovals.map(
        ({ block, choice, path }) => `${path} changed since "${block}" was answered with "${choice}"`,
      ),
      ...listChangedSources(captured, run.reader, run.place.root).map((path) => `${path} changed since this run began`),
      ...(planMoved === null ? [] : [planMoved.line]),
      ...(state.selfWritten ?? []).map((path) => `${path} was written by the main agent, not by a subagent`),
    ],
    recovered,
    artifacts: (state.found === undefined
      ? state.written.filter((path) => files.facts(path).kind === 'file')
      : listArtifactsWritten([...state.written, ...Object.keys(state.found)], state, files)
    ).map((path) => displayPath(place, state.name, path)),
    updatedAt: state.updatedAt,
  };
}

function withoutEarlier({ earlier: _, ...workflow }: Workflow): Omit<Workflow, 'earlier'> {
  return workflow;
}

const NOTHING: Instruction = ['nothing to do'];

/** Describes who waits for whom, since when, and what the reader can do about it. */
export function describeWaiting(state: RunState) {
  const { held, pendingAction: action, status } = state;
  const { now, you } = action === null ? { now: status, you: NOTHING } : describeAction(state, action);
  const stands =
    held !== undefined && status === 'live'
      ? describeHold(state, held, action === null ? undefined : now)
      : { since: action?.issuedAt ?? state.updatedAt, now, you };
  const { proposed } = state.engine ?? {};
  const isOpen = status === 'live' && proposed !== undefined && action?.action !== 'wait-for-user';
  return isOpen ? { ...stands, you: describeProposal(state, proposed.reopen, stands.you) } : stands;
}

function describeAction(state: RunState, action: Action): WaitsFor {
  if (action.action === 'done') return describeRunEnd(state, action);
  if (action.action === 'running') return { now: `waiting for dev-cli: ${describeOngoingWork(action)}`, you: NOTHING };
  if (action.action === 'wait-for-user') {
    const choices = (findChoices(action) ?? []).map((choice) => choice.id).join(', ');
    const how = action.human === 'required' ? 'decide: ' : "answer in the agent's session, or: ";
    return {
      now: `waiting for you: ${toBoundedLine(action.message, 300)}`,
      you: [how, { command: 'approve', input: { name: state.name } }, ` (choices: ${choices})`],
    };
  }
  if (action.asks === 'user') {
    return { now: `waiting for you: the agent asks about "${action.block}"`, you: ["answer in the agent's session"] };
  }
  return { now: `waiting for the agent: ${describeOngoingWork(action)}`, you: NOTHING };
}

/** Describes what an agent, or dev-cli itself, is working on. */
export function describeOngoingWork(action: Exclude<Action, { action: 'done' }>): string {
  if (action.action === 'running') return renderWork(action);
  return action.action === 'engine-dispatch' ? renderTasks(action) : `${action.block} (${action.actionId})`;
}

/** Describes what dev-cli is running: a command with its todo and log, or a commit. */
function renderWork({ commands: [command] }: RunningAction): string {
  if (command === undefined) return 'at work';
  const { todoId = null, id, run, log } = command;
  const whose = id === undefined ? '' : ` (${[...(todoId === null ? [] : [todoId]), id].join(' ')})`;
  return `${toCommandName(run, 200)}${whose}, log ${log}`;
}

/** The largest number of tasks that are named; the tree below shows all. */
const TASKS_NAMED = 4;

function renderTasks({ tasks, running }: EngineDispatchAction): string {
  const out = [...running, ...tasks];
  const names = out.map(({ todoId, substep }) => `${todoId ?? 'the run'} ${substep}`);
  return `${renderCount(out.length, 'task')} out: ${joinFirst(names, TASKS_NAMED)}`;
}

type GateNow = GateState & { changed?: true };

/** Lists the gates; `changed` is set if the artifact has changed since the decision. */
function listGates({ captured, state, changedApprovals }: RunView): Record<string, GateNow> {
  const rows = sortByRecipe(captured.recipe, state.gates).map(([id, gate]): [string, GateNow] => {
    return [id, changedApprovals.some(({ block }) => block === id) ? { ...gate, changed: true } : gate];
  });
  return Object.fromEntries(rows);
}

/** The longest warning shown, in characters; the warning about a changed plan needs most of them. */
const WARNING_CAP = 500;

/**
 * Lists the rows of `status`, before rendering.
 * @param options.you what the reader can do
 */
export function listStatusRows(
  { state, now, captured }: RunView,
  status: Status,
  { you, full, added }: { you: string; full: boolean; added: readonly RenderedSection[] },
): TextRow[] {
  const ago = (at: string) => formatDuration(now - Date.parse(at));
  const took = formatDuration(Date.parse(state.updatedAt) - Date.parse(state.createdAt));
  const request = renderPullRequest(state);
  const rows =
    status.execution === null
      ? renderSteps(status, listTitles(captured.recipe))
      : renderExecution(status.execution, { now, full });
  const selfReported = Object.entries(state.agents)
    .filter(([, agent]) => agent.selfReported === true)
    .map(([id]) => `${id} is self-reported, without a file`);
  return [
    [
      '',
      state.name,
      status.recipe,
      `${state.status} ${state.status === 'live' ? ago(state.createdAt) : `after ${took}`}`,
    ],
    ['goal   ', toBoundedLine(state.goal ?? '(none)', 200)],
    ...(status.size === undefined ? [] : [['size   ', `${status.size.value} (${status.size.by})`] as const]),
    ['now    ', `${status.now}${state.status === 'live' ? ` (${ago(status.since)})` : ''}`],
    ['you    ', you],
    ...(request === null ? [] : [['pull   ', request] as const]),
    ...(status.cost === undefined ? [] : [['cost   ', renderCost(status.cost)] as const]),
    [''],
    ...(state.workflow === null ? rows : renderPhases(state.workflow, rows)),
    ...(status.artifacts.length === 0
      ? []
      : [['wrote  ', toBoundedLine(status.artifacts.join(', '), WARNING_CAP)] as const]),
    ...[...status.warnings, ...selfReported].map((line): TextRow => ['!      ', toBoundedLine(line, WARNING_CAP)]),
    ...status.recovered.map((line): TextRow => ['fixed  ', toBoundedLine(line, 200)]),
    ...added.map((section): TextRow => ['', section.text]),
  ];
}

/** The longest summary of a step, in characters; a failed step's summary contains the end of its command's output. */
const SUMMARY_CAP = 100;
const FAILURE_CAP = 300;

/** Returns the titles of blocks by their ids. */
function listTitles({ blocks }: RunView['captured']['recipe']): ReadonlyMap<string, string> {
  return new Map(blocks.flatMap(({ id, title }) => (title === undefined ? [] : [[id, title] as const])));
}

function renderSteps(
  { steps, gates }: Pick<Status, 'steps' | 'gates'>,
  titles: ReadonlyMap<string, string>,
): TextRow[] {
  const width = Math.max(...Object.keys(steps).map((id) => id.length));
  return Object.entries(steps).map(([id, step]) => {
    const title = titles.get(id);
    // A command's summary already begins with the block's title.
    const isTold = title === undefined || step.summary?.startsWith(title) === true;
    const extra = [
      ...(isTold ? [] : [toBoundedLine(title, SUMMARY_CAP)]),
      ...((step.round ?? 1) > 1 ? [`round ${step.round}`] : []),
      ...(step.retries === undefined ? [] : [renderCount(step.retries, 'retry', 'retries')]),
      ...(step.status === 'stale' ? ['to be redone'] : []),
      ...(step.summary === undefined
        ? []
        : [toBoundedLine(step.summary, step.status === 'failed' ? FAILURE_CAP : SUMMARY_CAP)]),
      ...describeGate(gates[id]),
      ...(gates[id]?.changed === true ? ['changed since'] : []),
    ];
    return [`${SIGNS[step.status].sign} `, id.padEnd(width), extra.join(', ')];
  });
}

/** Describes who answered a gate, with the digest of the artifact. */
function describeGate(gate: GateNow | undefined): string[] {
  return gate === undefined || gate.stale === true
    ? []
    : [`by ${describeDecider(gate.by)}${renderDigest(gate.digest)}`];
}

/** Renders the phases of a workflow, with the steps of the current phase below it. */
function renderPhases(workflow: Workflow, steps: TextRow[]): TextRow[] {
  const width = Math.max(...workflow.phases.map(({ name }) => name.length));
  return workflow.phases.flatMap(({ name, recipe, status: mark, retries, summary }, index) => {
    const extra = [
      recipe,
      ...(retries === undefined ? [] : [`restarted ${renderCount(retries, 'time')}`]),
      ...(summary === undefined ? [] : [toBoundedLine(summary, 150)]),
    ];
    const here = index === workflow.phaseIndex && workflow.currentPhase === name;
    const row: TextRow = [`${SIGNS[mark].sign} `, name.padEnd(width), extra.join(', ')];
    return [row, ...(here ? steps.map(([lead, ...cells]): TextRow => [`    ${lead}`, ...cells]) : [])];
  });
}
