import { computeDraftStatus } from '../documents/draft.js';
import { toBoundedLine } from '../documents/foreign.js';
import { groupBlockedTodos } from '../engine/core/scheduler.js';
import type { CapturedRecipe } from '../recipe/captured.js';
import { sortByRecipe } from '../recipe/declared.js';
import { getSize, hasSize, listRequiredSections } from '../run/facts.js';
import { displayPath } from '../run/paths.js';
import type { GateState, RecipeState } from '../run/recipe-state.js';
import { renderPhase } from '../run/workflow.js';
import { listCounts, type RunView, type Section } from './run-view.js';

/** The core's sections of the manifest, in order (protocol.md, manifest). */
export const MANIFEST_SECTIONS: readonly Section[] = [
  { id: 'phase', view: 'manifest', budget: 300, render: renderPhaseLine },
  { id: 'step', view: 'manifest', budget: 420, render: renderStep },
  { id: 'todos', view: 'manifest', budget: 600, render: renderTodos },
  { id: 'mode', view: 'manifest', budget: 500, render: renderMode },
  { id: 'draft', view: 'manifest', budget: 200, render: renderDraft },
  { id: 'agents', view: 'manifest', budget: 500, render: renderAgents },
  { id: 'decisions', view: 'manifest', budget: 400, render: renderDecisions },
  { id: 'failed', view: 'manifest', budget: 500, render: renderFailures },
  { id: 'files', view: 'manifest', budget: 400, render: renderFiles },
];

function renderPhaseLine({ state: { workflow } }: RunView): string[] | null {
  if (workflow === null) return null;
  const others = workflow.phases
    .filter(({ name }) => name !== workflow.currentPhase)
    .map(({ name, status }) => `${name} ${status}`);
  const of = [workflow.name, ...others].join(' · ');
  return [workflow.currentPhase === null ? `Phases of ${of}` : `Phase ${renderPhase(workflow)} of ${of}`];
}

function renderStep({ state }: RunView): string[] {
  if (state.status !== 'live') return [`Step: the run is ${state.status}`];
  const ids = Object.keys(state.steps);
  const round = state.currentBlock === null ? undefined : state.steps[state.currentBlock]?.round;
  const finished = Object.values(state.steps).filter(({ status }) => status === 'done' || status === 'skipped').length;
  const which = `${state.currentBlock} (${state.blockIndex + 1}/${ids.length}, ${finished} finished)`;
  return [`Step: ${which}${round !== undefined && round > 1 ? `, round ${round}` : ''}`];
}

/** How many failed todos are named; `status` names all. */
const FAILED_NAMED = 3;

/** Renders the counts of an execution's todos by state, and what went wrong. */
function renderTodos({ state: { engine } }: RunView): string[] | null {
  if (engine === null) return null;
  const rows = engine.order.flatMap((id) => engine.todos[id] ?? []);
  const failed = rows.filter(({ status }) => status === 'failed');
  const kept = failed.length === 0 ? 0 : new Set(Object.values(groupBlockedTodos(engine)).flat()).size;
  const counts = [
    `${rows.filter(({ status }) => status === 'done').length}/${rows.length} done`,
    ...listCounts({
      'at work': engine.wave.length,
      failed: failed.length,
      'blocked by them': kept,
      added: engine.added,
    }),
    ...(engine.fixRounds > 0 ? [`fix round ${engine.fixRounds}`] : []),
    ...(engine.stage === 'todos' || engine.stage === 'ended' ? [] : [`now ${engine.stage}`]),
    ...listCounts({ 'commits to be made later': engine.deferred.length }),
  ];
  const why = failed.slice(0, FAILED_NAMED).map((row) => `${row.id}: ${toBoundedLine(row.why ?? 'failed', 120)}`);
  const more = failed.length > FAILED_NAMED ? [`${failed.length - FAILED_NAMED} more`] : [];
  const stopped = engine.why === undefined ? [] : [toBoundedLine(engine.why, 160)];
  return [[`Todos: ${counts.join(', ')}`, ...why, ...more, ...stopped].join(' · ')];
}

function renderMode({ state }: RunView): string[] {
  const modes = Object.values(state.mode).filter((word) => !state.recipe.includes(word));
  const goal = state.goal === null ? '' : ` · goal (data): "${toBoundedLine(state.goal, 300)}"`;
  const size = hasSize(state) ? ` · size ${getSize(state).value}` : '';
  return [`Mode: ${[state.recipe, ...modes].join(' ')}${size}${goal}`];
}

function renderDraft({ state, captured, draft }: RunView): string[] | null {
  const read = state.status === 'live' ? draft() : null;
  if (read === null) return null;
  const { filled, total, missing } = computeDraftStatus(read, listRequiredSections(captured.recipe, state));
  return [
    `DRAFT: ${filled}/${total}${missing.length === 0 ? ', nothing missing' : ` (missing ${missing.join(', ')})`}`,
  ];
}

function renderAgents({ state }: RunView): string[] | null {
  const all = Object.entries(state.agents);
  if (all.length === 0) return null;
  const unremarkable = all.filter(([, { status, verdict }]) => status === 'done' && verdict === undefined).length;
  const named = all.filter(([, { status, verdict }]) => status !== 'done' || verdict !== undefined);
  const rows = named.map(([id, { status, verdict }]) => `${id} ${status}${verdict === undefined ? '' : ` ${verdict}`}`);
  const shown = rows.length > AGENTS_NAMED ? [`${rows.length} pending, failed or stale`] : rows;
  return [`Agents: ${[...(unremarkable > 0 ? [`${unremarkable} done`] : []), ...shown].join(', ')}`];
}

/** The largest number of agents that are named; if there are more, they are only counted. */
const AGENTS_NAMED = 16;

function renderDecisions({ state, captured, draft }: RunView): string[] | null {
  const gates = sortByRecipe(captured.recipe, state.gates)
    .filter(([, gate]) => gate.stale !== true)
    .map(describeDecision);
  const bullets = (draft()?.decisions.text ?? '')
    .split('\n')
    .filter((line) => /^[-*] /.test(line))
    .map((line) => toBoundedLine(line.slice(2), 140));
  const all = [...gates, ...listExecutionDecisions(state.engine === null ? {} : state.gates, captured), ...bullets];
  return all.length === 0 ? null : [`Decisions: ${all.join(' · ')}`];
}

/** Lists the newest decisions at an execution's own gates, which are not blocks. */
function listExecutionDecisions(gates: RecipeState['gates'], { recipe }: CapturedRecipe): string[] {
  return Object.entries(gates)
    .filter(([id, { stale }]) => stale !== true && recipe.blocks.every((block) => block.id !== id))
    .sort(([, a], [, b]) => b.seq - a.seq)
    .slice(0, GATES_NAMED)
    .map(describeDecision);
}

function describeDecision([id, { choice, note }]: [string, GateState]): string {
  return `${id}: ${choice}${note === undefined ? '' : ` ("${toBoundedLine(note, 120)}")`}`;
}

const GATES_NAMED = 5;

function renderFailures({ state }: RunView): string[] | null {
  const agentsFailed = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => `${id}: ${toBoundedLine(agent.reason ?? 'no reason given', 100)}`);
  const { lastError } = state;
  const last = lastError === null ? [] : [toBoundedLine(`${lastError.block}: ${lastError.message}`, 300)];
  const all = [...agentsFailed, ...last, ...state.warnings.map((warning) => toBoundedLine(warning, 140))];
  return all.length === 0 ? null : [`Failed: ${all.join(' · ')}`];
}

function renderFiles({ state, files: documents, place }: RunView): string[] | null {
  const present = documents.list('');
  const there = ['DRAFT.md', 'PLAN.md', 'plan-content.json', 'summary.md', 'report.md', 'pr.json'].filter(
    (path) => present.includes(path) && documents.facts(path).kind === 'file',
  );
  const reports = ['findings', 'analysis', 'reviews'].flatMap((directory) => {
    if (!present.includes(directory)) return [];
    const count = documents.list(directory).filter((name) => name.endsWith('.md')).length;
    return count === 0 ? [] : [`${directory}/ (${count})`];
  });
  const all = [...there, ...reports];
  return all.length === 0
    ? null
    : [`Files in ${displayPath(place, state.name, '').replace(/\/$/, '')}: ${all.join(', ')}`];
}
