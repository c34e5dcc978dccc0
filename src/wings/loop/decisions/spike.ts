import type { Answer } from '../../../base/answer.js';
import { renderCount } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { requireInside } from '../../../project/own-places.js';
import type { Context } from '../../../run/context.js';
import { removeTree } from '../../../work/trees.js';
import { openLoopBackend } from '../backend.js';
import { buildAttempt, reserveNumber } from '../begin.js';
import { nameBatch } from '../core/events.js';
import { INTERRUPTED, sayEnd } from '../core/judge.js';
import { readLoopFiles } from '../files.js';
import { type LoopGoal, listGoals } from '../goals.js';
import { createQueue, flushEvents } from '../log.js';
import type { LoopCall, LoopPorts } from '../site.js';
import { findTool, holdRoot, openPlace, requireConfigTrust, requireTool } from '../start.js';
import { nameAttempt, nameRecords } from '../state.js';
import type { Attempt, LoopState, Spiked, Verdict } from '../state-schema.js';
import { runChecks } from '../steps/judge.js';
import { previewPrompt } from '../steps/session.js';
import { NEW_GOAL, releaseReference, renderVerdict } from '../steps/settle.js';
import { removeStray } from '../stray.js';
import { LOOP } from '../streams.js';
import type { TicketFile } from './accept.js';
import { finishSpike, nameReport, type SpikeResult } from './finish.js';
import { requireOptions, requireTicket, type SpikeInput } from './options.js';
import { findGuardFailures, type Ranking, rankAlternatives } from './ranking.js';
import type { Ticket } from './schemas.js';
import { describeChoice } from './ticket.js';
import {
  buildVariantGoal,
  fillLine,
  spikeInterruptedError,
  type TriedVariant,
  tryVariant,
  type VariantTrial,
} from './variant.js';

/** A spike as requested. */
interface Order extends TicketFile {
  place: Awaited<ReturnType<typeof openPlace>>;
  input: SpikeInput;
  ticket: Ticket;
  trials: VariantTrial[];
  /** The command template of the sessions; null if no session implements the alternatives. */
  tool: string | null;
  /** Whether `test_command` has to pass on the winner. */
  isTested: boolean;
}

/**
 * `decision spike` (loop-operations.md, Decisions).
 * @throws DevCliError `USAGE`, `NO_PROJECT`, `SCHEMA_INVALID`, `DECISION_REFUSED`, `LOCKED`, `NEEDS_MISSING`, `TOOL_MISSING`,
 * `CONFIG_UNTRUSTED`, `INTERRUPTED`, `GIT_FAILED`, `IO`
 */
export async function runSpike(ports: LoopPorts, context: Context, input: SpikeInput, call: LoopCall): Promise<Answer> {
  requireOptions(input);
  await finishSpike({ context, streams: (await openLoopBackend(ports, context, call)).streams });
  const files = readLoopFiles(context);
  const read = requireTicket(context, input, call, files.goals);
  const { ticket } = read;
  requireInside(context.root, nameReport(ticket.decision_id));
  const place = await openPlace(ports, context, { files, tool: input.tool }, call);
  const goal = listGoals(files.goals).find(({ id }) => id === ticket.goal_id) as LoopGoal;
  const tool = input.tool === undefined ? null : findTool(files, input.tool, goal);
  // If an agent chose the line, its success alone cannot accept an alternative: the trusted tests have to pass, too.
  const isOwnLine = input.accept === true && input.command !== undefined && context.mark !== null;
  const isTested = input.acceptRequireEligible === true || isOwnLine;
  if (tool !== null) requireTool(context, tool);
  if (tool !== null || isTested || files.config.worktree_setup.length > 0)
    requireConfigTrust(context, files, input.trust);
  const trials = ticket.alternatives.map(({ id: alternative }) => ({
    alternative,
    site: { ...place, variant: describeChoice(ticket, alternative), tellContext: () => place.tellContext(goal.id) },
    goal: buildVariantGoal(ticket, alternative, goal),
    line: fillLine(input.command ?? files.config.test_command, ticket, alternative),
    isMade: tool !== null,
    tell: call.tell,
  }));
  if (tool !== null) for (const trial of trials) await previewPrompt(trial.site, trial.goal, tool);
  const held = holdRoot(context, place.head);
  try {
    await removeStray(place);
    return await carryOut({ ...read, place, input, trials, tool, isTested });
  } finally {
    held.release();
  }
}

async function carryOut(order: Order): Promise<Answer> {
  const { place, input, ticket } = order;
  const attempts = await begin(order);
  try {
    const tried = await tryAll(order, attempts);
    const ranking = rankAlternatives(tried.map(({ measured }) => measured));
    const { decision_id, goal_id } = ticket;
    const result = {
      ...{ winner_id: ranking.winner?.alternative_id ?? null, winner_reason_code: ranking.reason },
      escalated: ranking.winner === null,
      alternatives: ranking.ranked.map((one, index) => ({ ...one, comparison_rank: index + 1 })),
    };
    const judged = input.accept === true ? await judge(order, tried, ranking) : { failures: [], accept: null };
    const told = { key: nameAttempts(tried), result: { decision_id, goal_id, ...result }, ...judged };
    const { failures, accepted } = await conclude(order, tried, told);
    const path = nameReport(decision_id);
    const report = { ...result, accept_if_guard_failures: failures, accepted };
    const exit = failures.length === 0 ? 0 : 3;
    const text = () =>
      [
        ...render(decision_id, tried, ranking, failures),
        ...(accepted ? [`  accepted in ${order.file}`] : []),
        `  ${path}`,
      ].join('\n');
    return { exit, json: { ok: exit === 0, summary_path: path, ...report }, text };
  } finally {
    for (const { tree } of attempts) await removeTree(place.top, tree, place.git);
  }
}

/**
 * Gives each attempt a number and records it as interrupted. Its result replaces that verdict; if the spike is cut off,
 * the verdict stays.
 */
async function begin({ place, trials, tool, ticket }: Order): Promise<Attempt[]> {
  const { streams, context, head: base } = place;
  const runId = nameBatch(context.clock.now(), context.ids.hex(4));
  const { goals } = await streams.read(LOOP);
  const attempts: Attempt[] = [];
  for (const { goal } of trials) {
    const n = await reserveNumber(place, goal.id, { last: goals[goal.id]?.n ?? 0, base });
    attempts.push(buildAttempt(place, goal, { n, runId, branch: '', base, from: null, tool: tool ?? '' }));
  }
  const verdict: Verdict = { classification: 'interrupted', success: false, action: 'stop', reason: INTERRUPTED };
  await streams.transact(LOOP, (state, at) => {
    const numbers = attempts.map(({ goal, n }) => [goal, { ...(state.goals[goal] ?? NEW_GOAL), n }] as const);
    const variants = attempts.map(({ goal, n }) => ({ goal, n }));
    return {
      answer: undefined,
      state: { ...state, variants, goals: { ...state.goals, ...Object.fromEntries(numbers) } },
      entry: { type: 'spike-begun', data: { decision: ticket.decision_id } },
      documents: attempts.map((attempt) => document({ attempt, verdict }, at)),
    };
  });
  return attempts;
}

const document = ({ attempt, verdict }: Pick<TriedVariant, 'attempt' | 'verdict'>, at: string) => ({
  path: `${nameRecords(attempt)}/verdict.json`,
  content: renderVerdict(attempt, verdict, at),
});

/** Tries all alternatives, several at once. Once one fails with an error, no more are begun. */
async function tryAll({ input, trials }: Order, attempts: readonly Attempt[]): Promise<TriedVariant[]> {
  const tried: TriedVariant[] = [];
  const left = attempts.map((attempt, index) => ({ attempt, trial: trials[index] as VariantTrial }));
  const work = async (): Promise<void> => {
    try {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const one = await tryVariant(next.trial, next.attempt);
        tried.push(one);
        next.trial.tell(describe(one));
        if (input.explain === true) next.trial.tell(explain(one));
      }
    } finally {
      left.length = 0;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: input.parallel ?? 2 }, work));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return tried;
}

/** Decides whether the winner is accepted; lists the reasons if not. */
async function judge(
  order: Order,
  tried: readonly TriedVariant[],
  ranking: Ranking,
): Promise<Pick<Spiked, 'failures' | 'accept'>> {
  const { place, trials, isTested, file, text } = order;
  const failures = findGuardFailures(ranking, order.input);
  const best = tried.find(({ measured }) => measured === ranking.winner);
  const goal = trials.find(({ alternative }) => alternative === best?.measured.alternative_id)?.goal;
  if (best === undefined || goal === undefined) return { failures, accept: null };
  if (isTested) {
    const [tests] = (await runChecks(place, best.attempt, { ...goal, acceptance: [] }, 'test')) ?? [];
    if (tests === undefined) throw spikeInterruptedError();
    if (tests.exit !== 0) failures.push(`not_eligible: ${sayEnd(tests)}`);
  }
  const { alternative_id: selected, ref } = best.measured;
  return { failures, accept: failures.length > 0 ? null : { file, text, selected, ref } };
}

const nameAttempts = (tried: readonly TriedVariant[]): string =>
  tried
    .map(({ attempt }) => nameAttempt(attempt))
    .sort()
    .join();

/** Records the result of the spike in one commit, then writes and logs it. */
async function conclude(
  { place, ticket }: Order,
  tried: readonly TriedVariant[],
  spiked: Spiked,
): Promise<SpikeResult> {
  await place.streams.transact(LOOP, (state: LoopState, at) => ({
    answer: undefined,
    state: { ...state, variants: [], spiked },
    entry: { type: 'spiked', data: { decision: ticket.decision_id } },
    documents: tried.map((one) => document(one, at)),
  }));
  const finished = (await finishSpike(place, spiked)) as SpikeResult;
  await flushEvents(place, createQueue());
  for (const { attempt } of tried) if (attempt.kept === null) await releaseReference(place, attempt);
  return finished;
}

const describe = ({
  attempt,
  verdict,
  measured: { passed, diff_lines: lines, changed_files: files },
}: TriedVariant): string =>
  `${nameAttempt(attempt)}: ${passed ? 'passed' : 'not passed'}, ${renderCount(lines, 'line')} in ${renderCount(files, 'file')}: ${toBoundedLine(verdict.reason, 300)}`;

/** Renders the measurements behind a result, for `--explain`. */
const explain = ({ attempt, measured: { exit_code: exit, duration_ms: time, ref } }: TriedVariant): string =>
  `  session: exit ${attempt.facts?.session.exit ?? 'none'}; line: exit ${exit ?? 'none'}; ${time} ms; kept: ${ref ?? 'nothing'}`;

function render(
  id: string,
  tried: readonly TriedVariant[],
  { winner, ranked, reason }: Ranking,
  failures: readonly string[],
): string[] {
  const rows = ranked.flatMap((one) => tried.filter(({ measured }) => measured === one));
  return [
    winner === null
      ? `${id}: no alternative has passed.`
      : `${id}: ${winner.alternative_id} is the best, by ${reason}.`,
    ...rows.map((one) => `  ${describe(one)}\n    dev-cli attempt show ${nameAttempt(one.attempt)}`),
    ...failures.map((one) => `  not accepted: ${toBoundedLine(one, 300)}`),
  ];
}
