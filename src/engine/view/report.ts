import { cutToSecond } from '../../base/clock.js';
import { omitUndefined } from '../../base/defined.js';
import { formatDuration } from '../../base/duration.js';
import { joinFirst, renderCount } from '../../base/words.js';
import { describeApprovals } from '../../blocks/approvals.js';
import { describeGateDecision } from '../../blocks/run-summary.js';
import { toCommandName } from '../../documents/command-words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { renderRequestBody } from '../../documents/request-text.js';
import {
  type LogEnd,
  type RunSummary,
  renderBriefSummary,
  renderRunSummary,
  type SummaryRequirement,
} from '../../documents/run-summary.js';
import { renderInvocation } from '../../registry/render.js';
import { readCost, renderCost } from '../../run/cost.js';
import { listKeptReports, nameKeptReport } from '../../run/documents/artifacts.js';
import type { RunEngine } from '../../run/engine.js';
import type { CommandEvidence, TodoState } from '../../run/engine-rows.js';
import { type MadeCommit, readCommits } from '../../run/executions.js';
import { collectGates } from '../../run/facts.js';
import { NO_SHA } from '../../run/notes.js';
import { REPORT } from '../../run/paths.js';
import { buildReopenCommands } from '../../run/reopening.js';
import { renderPullRequest } from '../../run/request.js';
import type { Transaction } from '../../run/transaction.js';
import { describeBranch } from '../act/commits/message.js';
import { getReopenTarget } from '../act/execution-summary.js';
import { describeChangeAuthor, renderChangedKinds } from '../act/plan/changed-parts.js';
import { isDoneEarlier } from '../act/plan/further.js';
import { listUnconfirmed, readPlanHead, requireEngine } from '../act/plan/plan.js';
import { listRulings, WHOLE_RUN } from '../act/prompts/rulings.js';
import { judgeAllRequirements, renderRequirement } from '../act/results/requirements.js';
import { groupBlockedTodos } from '../core/scheduler.js';
import { listChangedFiles } from './report/changes.js';
import { renderSkipped } from './report/skipped.js';
import { listUnsteady, renderVerification } from './report/verification.js';

const SUMMARY = 'summary.md';

/**
 * Writes report.md: what was done, on what evidence, and what was not done (engine.md, Stages). A summary.md left by
 * planning is replaced by a half page that links the report.
 * @param aborted whether the run was aborted
 */
export function writeReport(tx: Transaction, { aborted = false }: { aborted?: boolean } = {}): void {
  keepReport(tx);
  const request = renderPullRequest(tx.state);
  const summary = {
    ...buildExecutionSummary(tx, aborted),
    ...(request === null ? {} : { request }),
    ...describeCost(tx),
  };
  tx.files.write(REPORT, renderRunSummary(summary, 'Report', readLogEnds(tx)));
  if (tx.files.facts(SUMMARY).kind === 'file') tx.files.write(SUMMARY, renderBriefSummary(summary, REPORT));
}

/**
 * Saves an existing report.md under another name before it is overwritten, unless this run wrote it. Such a report
 * comes from an earlier execution or from somebody else.
 */
function keepReport({ state, files }: Transaction): void {
  const text = state.written.includes(REPORT) ? null : files.text(REPORT);
  const { reports = [] } = state;
  if (text !== null) {
    const name = nameKeptReport(files);
    files.write(name, text);
    if (reports.includes(REPORT)) reports.push(name);
  }
  state.reports = [...new Set([...reports, REPORT])];
}

/** Renders the cost of the run, including the present transaction. */
function describeCost({ state, past, entries, at, by, files }: Transaction): Pick<RunSummary, 'cost'> {
  const added = entries.map(({ type, data }) => ({ type, at, by, data: { ...data }, more: true as const }));
  const cost = readCost({ runId: state.runId, past, files }, added);
  return cost === undefined ? {} : { cost: renderCost(cost) };
}

/** Renders the body of the run's pull request: the report, without its lines about the pull request and the cost. */
export function renderRequestText(tx: Transaction): string {
  return renderRequestBody(buildExecutionSummary(tx, false));
}

/** Collects the result of an execution for all its reports (documents.md, summary.md and report.md). */
function buildExecutionSummary(tx: Transaction, aborted: boolean): RunSummary {
  const engine = requireEngine(tx);
  const rows = engine.order.flatMap((id) => engine.todos[id] ?? []);
  const whole = rows.every(({ status }) => status === 'done') && engine.why === undefined;
  const outcome = aborted ? 'aborted' : whole ? 'completed' : 'halted';
  const { plan, commands } = describeApprovals(tx.state);
  const commits = renderAllCommits(tx, rows);
  return {
    goal: tx.state.goal ?? readPlanHead(tx).context.originalRequest ?? '',
    outcome,
    at: cutToSecond(tx.at),
    requirements: [...judgeAllRequirements(tx).map(renderRequirement), ...listWithdrawnRequirements(engine)],
    changed: renderChangedKinds(engine, cutToSecond),
    done: rows.filter(({ status }) => status === 'done').map((row) => renderDoneTodo(engine, row)),
    failed: renderFailedTodos(engine, rows),
    skipped: renderSkipped(tx, rows),
    commits: renderCommits(engine, commits.own),
    earlier: [...listKeptReports(tx.state, tx.files).map((path) => renderKeptReport(tx, path)), ...commits.earlier],
    approvals: [`the plan: ${plan}`, `its commands: ${commands}`],
    course: (engine.course ?? []).map(({ at, kind, text }) => `${cutToSecond(at)}: ${kind}: ${text}`),
    unconfirmed: listUnconfirmed(readPlanHead(tx)),
    decisions: listDecisions(tx, engine),
    changedFiles: listChangedFiles(tx),
    verification: renderVerification(tx, rows),
    openIssues: [...new Set([...listUnsteady(tx), ...tx.state.warnings, ...engine.openIssues])],
    next: renderNextSteps(tx, outcome, rows),
  };
}

/** Links the report of an earlier execution, with its outcome. */
function renderKeptReport({ files }: Transaction, path: string): string {
  const [, outcome = ''] = /^Outcome: (.*)$/m.exec(files.text(path) ?? '') ?? [];
  return `[${path}](${path})${outcome === '' ? '' : `: ${outcome}`}`;
}

/** Lists withdrawn requirements, so that the report does not silently drop them. */
function listWithdrawnRequirements({ changed = [] }: RunEngine): SummaryRequirement[] {
  return changed
    .filter(({ part, how }) => part === 'requirement' && how === 'withdrawn')
    .map(({ id, text, at, proposed }) => ({
      id,
      text,
      proof: '–',
      result: `withdrawn${describeChangeAuthor(proposed)}, ${cutToSecond(at)}`,
    }));
}

function renderDoneTodo(engine: RunEngine, row: TodoState): string {
  const { id, title, attempt, retries, commit, parent, summary, startedAt, endedAt } = row;
  if (isDoneEarlier(engine, id)) return `${id}: ${title} (by an earlier execution)`;
  if (attempt === 0) return `${id}: ${title} (not by this run: its box was already ticked)`;
  const notes = [
    ...(retries > 0 ? [renderCount(retries, 'retry', 'retries')] : []),
    ...(parent == null ? [] : [`added for ${parent}`]),
    ...(commit === undefined ? [] : [commit.slice(0, 7)]),
    ...(startedAt === undefined || endedAt === undefined
      ? []
      : [formatDuration(Date.parse(endedAt) - Date.parse(startedAt))]),
  ];
  return `${id}: ${title}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}${summary === undefined ? '' : `; self-reported: ${summary}`}`;
}

function renderFailedTodos(engine: RunEngine, rows: readonly TodoState[]): string[] {
  const blocked = groupBlockedTodos(engine);
  const failed = rows
    .filter(({ status }) => status === 'failed')
    .map(({ id, why, retries }) => {
      const kept = blocked[id] === undefined ? '' : `; blocks ${joinFirst(blocked[id], 10)}`;
      return `${id}: ${why ?? 'failed'}${retries > 0 ? ` (after ${renderCount(retries, 'retry', 'retries')})` : ''}${kept}`;
    });
  return engine.why === undefined ? failed : [engine.why, ...failed];
}

/**
 * Renders this run's commits. If HEAD is detached, or on another branch than when the run began, adds where HEAD is.
 */
function renderCommits({ head }: RunEngine, made: readonly string[]): string[] {
  if (head === undefined || made.length === 0 || (head.branch === head.began && head.branch !== null)) return [...made];
  const moved = head.branch === head.began ? '' : `; the run began on ${describeBranch(head.began)}`;
  return [...made, `now on ${describeBranch(head.branch)}${moved}`];
}

/**
 * Lists all decisions: those made while planning, those that the plan states, the answers to gates of this run, and the
 * rulings given when todos were reopened.
 */
function listDecisions(tx: Transaction, engine: RunEngine): RunSummary['decisions'] {
  const { state } = tx;
  const planned = (readPlanHead(tx).decisions ?? [])
    .filter(({ by }) => by !== 'assumed')
    .map(({ text, reason, by }) => ({ text, by, ...omitUndefined({ reason }) }));
  const rulings = [WHOLE_RUN, ...engine.order].flatMap((id) =>
    listRulings(engine, id).map(({ text, at, by }) => ({
      text: `ruling on ${id === WHOLE_RUN ? 'the whole execution' : id}: ${text}`,
      by: by === 'human' ? ('user' as const) : ('agent' as const),
      at,
    })),
  );
  const decided = Object.entries(collectGates(state)).map(([id, gate]) => describeGateDecision(id, gate));
  return [...(state.decisions ?? []), ...planned, ...decided, ...rulings].map((one) => ({
    ...one,
    ...('at' in one ? { at: cutToSecond(one.at) } : {}),
  }));
}

/** Number of leading characters of a sha that the report shows. */
const SHA_SHOWN = 12;

/** Renders the commits of this run and of earlier executions, oldest first, each with its subject. */
function renderAllCommits(tx: Transaction, rows: readonly TodoState[]): { own: string[]; earlier: string[] } {
  const made = readCommits(tx.past, tx.entries) ?? listKnownCommits(tx, rows);
  const isOwn = ({ run }: MadeCommit) => run === tx.state.runId;
  return {
    own: made.filter(isOwn).map(renderCommit),
    earlier: made.filter((one) => !isOwn(one)).map(renderCommit),
  };
}

/** Lists the commits in the state, for when the journal cannot be read. */
function listKnownCommits({ state }: Transaction, rows: readonly TodoState[]): MadeCommit[] {
  return rows.flatMap(({ id, commit }) => (commit === undefined ? [] : [{ run: state.runId, todo: id, sha: commit }]));
}

function renderCommit({ todo, sha, subject, undoneBy, reverts }: MadeCommit): string {
  const whose = reverts === undefined ? (todo ?? 'the rest') : `takes back ${reverts.join(', ')}`;
  if (sha === null) return `${whose}: ${NO_SHA}: a hook took its trailer away`;
  const said = subject === undefined ? '' : ` ${subject}`;
  const gone = undoneBy === undefined ? '' : ` (taken back by ${undoneBy.slice(0, SHA_SHOWN)})`;
  return `${whose}: ${sha.slice(0, SHA_SHOWN)}${said}${gone}`;
}

/** Maximum number of commands whose output is shown, of lines for each, and of bytes of a log that is read. */
const SHOWN = { commands: 20, lines: 6, bytes: 256 * 1024 };

/** Reads the last lines printed by the commands on the final tree or, if none ran there, by the todos' commands. */
function readLogEnds(tx: Transaction): LogEnd[] {
  const { evidence, order, todos } = requireEngine(tx);
  const ran = evidence.length > 0 ? evidence : order.flatMap((id) => todos[id]?.evidence ?? []);
  return ran.slice(0, SHOWN.commands).flatMap((one) => {
    const text = readEnd(tx, one);
    return text === '' ? [] : [{ title: `${toCommandName(one.argv, 200)}: ${one.outcome}`, text }];
  });
}

function readEnd(tx: Transaction, { log }: CommandEvidence): string {
  const facts = tx.files.facts(log);
  if (facts.kind !== 'file' || facts.size > SHOWN.bytes) return '';
  const lines = (tx.files.text(log) ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(-SHOWN.lines)
    .map((line) => toBoundedLine(line, 300))
    .join('\n');
}

/** Renders the next steps: how to reopen a halted run, or how to carry out the rest of an aborted run's plan. */
function renderNextSteps(
  tx: Transaction,
  outcome: 'aborted' | 'completed' | 'halted',
  rows: readonly TodoState[],
): string[] {
  switch (outcome) {
    case 'completed':
      return [];
    case 'halted':
      return renderReopening(tx, rows);
    case 'aborted':
      return [`The plan remains valid: \`dev-cli init ${tx.state.name} --execute\` carries out the rest of it.`];
  }
}

/** Renders the commands that reopen the run: one for all failed todos, and one for a ruling on each. */
function renderReopening(tx: Transaction, rows: readonly TodoState[]): string[] {
  const { currentBlock } = tx.state;
  const step = getReopenTarget(requireEngine(tx)) ?? currentBlock;
  if (step === null) return [];
  const failed = rows.filter(({ status }) => status === 'failed').map(({ id }) => id);
  const { resume, ruling } = buildReopenCommands(tx, step);
  const file = String(ruling.input['note']).slice(1);
  const separate = step === currentBlock || failed.length < 2 ? [step] : failed;
  return [
    `Fix what failed, then reopen the run: \`${renderInvocation(resume)}\``,
    ...separate.map((id) => {
      const command = renderInvocation(buildReopenCommands(tx, id).ruling);
      return `To rule on ${id} for its next attempt, write the ruling to ${file}; then: \`${command}\``;
    }),
  ];
}
