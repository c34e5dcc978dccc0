import { dirname, join } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import type { JsonObject } from '../../../base/json.js';
import { renderCount } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { requireInside } from '../../../project/own-places.js';
import type { Context } from '../../../run/context.js';
import { ensureDirectory, writeDurably } from '../../../store/durable.js';
import { removeTree } from '../../../work/trees.js';
import { buildAttempt, reserveNumber } from '../begin.js';
import { buildEvent, nameBatch } from '../core/events.js';
import { INTERRUPTED, sayEnd } from '../core/judge.js';
import { readLoopFiles } from '../files.js';
import { type LoopGoal, listGoals } from '../goals.js';
import { createQueue, flushEvents } from '../log.js';
import type { Call, LoopPorts } from '../site.js';
import { findTool, holdRoot, openPlace, requireConfigTrust, requireTool } from '../start.js';
import { nameAttempt, nameRecords } from '../state.js';
import type { Attempt, LoopState, Verdict } from '../state-schema.js';
import { runChecks } from '../steps/judge.js';
import { previewPrompt } from '../steps/session.js';
import { NEW_GOAL, releaseReference, renderVerdict } from '../steps/settle.js';
import { removeStray } from '../stray.js';
import { LOOP } from '../streams.js';
import { acceptTicket, type TicketFile, wakeGoal } from './accept.js';
import { type Input, requireOptions, requireTicket } from './options.js';
import { findGuardFailures, type Ranking, rank } from './ranking.js';
import type { Ticket } from './schemas.js';
import { describeChoice } from './ticket.js';
import { buildVariantGoal, cutOff, fillLine, type Trial, type Tried, tryVariant } from './variant.js';

/** A spike, as it is asked for. */
interface Order extends TicketFile {
  place: Awaited<ReturnType<typeof openPlace>>;
  input: Input;
  ticket: Ticket;
  trials: Trial[];
  /** The template of their sessions; null without. */
  tool: string | null;
  /** Whether `test_command` has to pass on the winner. */
  isTested: boolean;
}

/**
 * `decision spike` (loop-operations.md, Decisions).
 * @throws DevCliError `USAGE`, `NO_PROJECT`, `SCHEMA_INVALID`, `DECISION_REFUSED`, `LOCKED`, `NEEDS_MISSING`, `TOOL_MISSING`,
 * `CONFIG_UNTRUSTED`, `INTERRUPTED`, `GIT_FAILED`, `IO`
 */
export async function spike(ports: LoopPorts, context: Context, input: Input, call: Call): Promise<Answer> {
  requireOptions(input);
  const files = readLoopFiles(context);
  const read = requireTicket(context, input, call, files.goals);
  const { ticket } = read;
  requireInside(context.root, nameReport(ticket));
  const place = await openPlace(ports, context, { files, tool: input.tool }, call);
  const goal = listGoals(files.goals).find(({ id }) => id === ticket.goal_id) as LoopGoal;
  const tool = input.tool === undefined ? null : findTool(files, input.tool, goal);
  // A line of an agent's own accepts nothing alone: the tests that a person trusts have their say.
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

const nameReport = ({ decision_id: id }: Ticket): string => `.ai/reports/decision-${id}.json`;

async function carryOut(order: Order): Promise<Answer> {
  const { place, input, ticket, file } = order;
  const { root } = place.context;
  const attempts = await begin(order);
  try {
    const tried = await tryAll(order, attempts);
    const ranking = rank(tried.map(({ measured }) => measured));
    const failures = input.accept === true ? await accept(order, tried, ranking) : [];
    const accepted = input.accept === true && failures.length === 0;
    const result = {
      ...{ winner_id: ranking.winner?.alternative_id ?? null, winner_reason_code: ranking.reason },
      escalated: ranking.winner === null,
      alternatives: ranking.ranked.map((one, index) => ({ ...one, comparison_rank: index + 1 })),
    };
    await conclude(order, tried, { ...result, accepted });
    const path = nameReport(ticket);
    const { decision_id, goal_id } = ticket;
    const report = { ...result, accept_if_guard_failures: failures, accepted };
    ensureDirectory(join(root, dirname(path)), root);
    writeDurably(join(root, path), `${JSON.stringify({ decision_id, goal_id, ...report }, null, 2)}\n`, root);
    if (accepted) await wakeGoal(place.context, goal_id, file);
    const exit = failures.length === 0 ? 0 : 3;
    const text = () =>
      [
        ...render(decision_id, tried, ranking, failures),
        ...(accepted ? [`  accepted in ${file}`] : []),
        `  ${path}`,
      ].join('\n');
    return { exit, json: { ok: exit === 0, summary_path: path, ...report }, text };
  } finally {
    for (const { tree } of attempts) await removeTree(place.top, tree, place.git);
  }
}

/** Numbers the attempts; until they are concluded, they count as cut off. */
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

const document = ({ attempt, verdict }: Pick<Tried, 'attempt' | 'verdict'>, at: string) => ({
  path: `${nameRecords(attempt)}/verdict.json`,
  content: renderVerdict(attempt, verdict, at),
});

/** Tries all alternatives, some at once. Where one cannot be gone on with, no other begins. */
async function tryAll({ input, trials }: Order, attempts: readonly Attempt[]): Promise<Tried[]> {
  const tried: Tried[] = [];
  const left = attempts.map((attempt, index) => ({ attempt, trial: trials[index] as Trial }));
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

/** Writes the winner into the ticket. @returns why not; empty where it is accepted */
async function accept(order: Order, tried: readonly Tried[], ranking: Ranking): Promise<string[]> {
  const { place, trials, isTested } = order;
  const failures = findGuardFailures(ranking, order.input);
  const best = tried.find(({ measured }) => measured === ranking.winner);
  const goal = trials.find(({ alternative }) => alternative === best?.measured.alternative_id)?.goal;
  if (best === undefined || goal === undefined) return failures;
  if (isTested) {
    const [tests] = (await runChecks(place, best.attempt, { ...goal, acceptance: [] }, 'test')) ?? [];
    if (tests === undefined) throw cutOff();
    if (tests.exit !== 0) failures.push(`not_eligible: ${sayEnd(tests)}`);
  }
  if (failures.length > 0) return failures;
  const { alternative_id: selected, ref } = best.measured;
  const refused = await acceptTicket(place.context, order, { selected, ref });
  return refused === null ? [] : [refused];
}

/** Records what the spike came to, in one step. */
async function conclude({ place, ticket }: Order, tried: readonly Tried[], result: JsonObject): Promise<void> {
  const { decision_id, goal_id } = ticket;
  const key = tried.map(({ attempt }) => nameAttempt(attempt)).sort();
  await place.streams.transact(LOOP, (state: LoopState, at) => {
    const payload = { decision_id, goal_id, ...result };
    const event = buildEvent('decision_spike', { key: key.join(), at, payload });
    return {
      answer: undefined,
      state: { ...state, variants: [], unsent: [...state.unsent, event] },
      entry: { type: 'spiked', data: { decision: decision_id } },
      documents: tried.map((one) => document(one, at)),
    };
  });
  await flushEvents(place, createQueue());
  for (const { attempt } of tried) if (attempt.kept === null) await releaseReference(place, attempt);
}

const describe = ({ attempt, verdict, measured: { passed, diff_lines: lines, changed_files: files } }: Tried): string =>
  `${nameAttempt(attempt)}: ${passed ? 'passed' : 'not passed'}, ${renderCount(lines, 'line')} in ${renderCount(files, 'file')}: ${toBoundedLine(verdict.reason, 300)}`;

/** What a result is made of. */
const explain = ({ attempt, measured: { exit_code: exit, duration_ms: time, ref } }: Tried): string =>
  `  session: exit ${attempt.facts?.session.exit ?? 'none'}; line: exit ${exit ?? 'none'}; ${time} ms; kept: ${ref ?? 'nothing'}`;

function render(
  id: string,
  tried: readonly Tried[],
  { winner, ranked, reason }: Ranking,
  failures: string[],
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
