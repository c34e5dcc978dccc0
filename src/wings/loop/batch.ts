import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { blockUndecided, createAttempt } from './begin.js';
import { checkWaiting, nameAnswer } from './core/judge.js';
import { listNotRun, planStarts, type ScheduleInput } from './core/schedule.js';
import { findUndecided } from './decisions/ticket.js';
import { type BatchOrder, driveAttempt, isCarried, resumeAttempt } from './drive.js';
import { completeGoal, type LoopGoal, listGoals } from './goals.js';
import { renewHolds } from './hold.js';
import { finishAnswers } from './inbox/answers.js';
import { createQueue, flushEventsQuietly, type WorkQueue } from './log.js';
import type { AttemptSite } from './site.js';
import { isHandedIn, nameAttempt } from './state.js';
import type { Attempt, Batch, LoopState } from './state-schema.js';
import { LOOP } from './streams.js';

/** The result of a batch. */
export interface BatchEnd {
  batch: Batch;
  notRun: { id: string; reason: string }[];
  /** Attempts that wait for a person, each with the command to answer it. */
  parked: { goal: string; run: string | null; reason: string; answer: string }[];
  errors: string[];
}

/**
 * Runs a batch: first the attempts that an earlier batch left, then the chosen goals (loop-core.md, auto). The stream
 * holds all progress, so that the next call continues an interrupted batch.
 * @throws DevCliError `IO`; `LOCKED` for the stream, or if another root has become the desk
 */
export async function runBatch(order: BatchOrder): Promise<BatchEnd> {
  const { site } = order;
  const crew = createCrew(order);
  for (;;) {
    const desk = await readDesk(order, crew);
    const next = planStarts(desk);
    const stops = site.signal.aborted || crew.broken !== null;
    if (!stops && next.over === null && (await takeUpAll(order, crew, desk))) continue;
    const start = stops ? [] : next.start.filter(({ id }) => !crew.failed.has(id));
    for (const goal of start)
      await startGoal(order, crew, goal).catch((error) => noteFailure(crew, goal.id, goal.id, error));
    if (crew.ended.size > 0) continue;
    const pause = stops ? null : next.pause;
    const idle = crew.atWork.size === 0 && pause === null && (stops || !isAwaited(site, desk, next.over));
    if (!idle) await waitForNews(order, crew, desk, pause);
    else if (start.length === 0) return describeEnd(site, crew, desk, next.over);
  }
}

/**
 * Takes up attempts that are not at work: left by an earlier batch, handed in, or answered by a person. @returns
 * whether any was taken up
 */
async function takeUpAll(order: BatchOrder, crew: Crew, { state, batch }: ScheduleInput): Promise<boolean> {
  const { site, parallel } = order;
  const { role } = site;
  const before = crew.atWork.size;
  let judged = Object.values(state.attempts).filter(
    (one) => isHandedIn(one) && crew.atWork.has(nameAttempt(one)),
  ).length;
  for (const attempt of Object.values(state.attempts)) {
    const id = nameAttempt(attempt);
    if (crew.atWork.has(id) || crew.ended.has(id) || crew.failed.has(attempt.goal) || isForWorkers(site, attempt))
      continue;
    // True if a worker has just brought the attempt into this state: the worker's claim is then over.
    const isNews = role.kind === 'desk' && attempt.claim != null && state.leases[attempt.claim]?.status !== 'active';
    // A batch tries once more to move the branch of an unmoved attempt; after that, only if a person asks.
    if (!isNews && attempt.state === 'unmoved' && batch.outcomes[attempt.goal] !== undefined) continue;
    const goal = listGoals(crew.goals).find(({ id }) => id === attempt.goal);
    // Handed-in work is judged in parallel with the sessions. A goal added after this batch began waits for the next.
    const isKnown = listGoals(order.goals).some(({ id }) => id === attempt.goal);
    if (isHandedIn(attempt) && (judged >= parallel || (goal !== undefined && !isKnown))) continue;
    if (isHandedIn(attempt)) judged += 1;
    const isGivenUp = goal === undefined || goal.status === 'dropped';
    const again = await resumeAttempt(site, attempt, { isGivenUp, isNews });
    if (again !== null) crew.begin(again);
  }
  return crew.atWork.size > before;
}

async function describeEnd(
  site: AttemptSite,
  { broken, errors }: Crew,
  desk: ScheduleInput,
  limit: string | null,
): Promise<BatchEnd> {
  const over = site.signal.aborted ? 'dev-cli was told to end' : (broken ?? limit);
  const all = [...errors, ...(broken === null ? [] : [broken])];
  return { batch: desk.batch, notRun: listNotRun(desk, over), parked: await listParked(site), errors: all };
}

/** Starts a goal as defined when the batch began; nobody may have trusted later changes. */
async function startGoal(order: BatchOrder, crew: Crew, { id }: LoopGoal): Promise<void> {
  const goal = listGoals(order.goals).find((one) => one.id === id);
  if (goal === undefined) return;
  const undecided = findUndecided(order.site.context, goal);
  if (undecided !== null) return blockUndecided(order, goal, undecided);
  const attempt = await createAttempt(order, goal);
  if (attempt !== null && !isForWorkers(order.site, attempt)) crew.begin(attempt);
}

/**
 * Whether the batch has to wait for workers. They may have steps to do or, once a limit is reached, steps to finish.
 */
const isAwaited = (site: AttemptSite, { state: { attempts, leases } }: ScheduleInput, over: string | null): boolean =>
  Object.values(attempts).some(
    (one) => isForWorkers(site, one) && (over === null || leases[one.claim ?? '']?.status === 'active'),
  );

/** Whether a worker of the fleet takes the attempt's next step. */
const isForWorkers = ({ role }: AttemptSite, attempt: Attempt): boolean => role.kind === 'desk' && isCarried(attempt);

/** The attempts at work. */
interface Crew {
  /** When the batch began, in milliseconds of the process's clock. */
  begunAt: number;
  atWork: Map<string, Promise<void>>;
  /** Attempts whose work has ended since the state was last read; what that state says about them is out of date. */
  ended: Set<string>;
  /** The last reported state of each attempt, for reporting what workers do. */
  told: Map<string, string>;
  /**
   * When each attempt began to wait for a worker, in milliseconds of the process's clock; infinity once the reason for
   * the wait was reported.
   */
  waits: Map<string, number>;
  goals: LoopGoal[];
  /** Why goals.yaml can no longer be read. */
  broken: string | null;
  errors: string[];
  /** Goals with an attempt that failed to continue: left to the next batch. */
  failed: Set<string>;
  /** Runs what two goals must not do at once: integrate, and write to the log. */
  oneByOne: WorkQueue;
  begin(attempt: Attempt): void;
}

function createCrew(order: BatchOrder): Crew {
  const oneByOne = createQueue();
  const crew: Crew = {
    ...{
      begunAt: performance.now(),
      atWork: new Map(),
      ended: new Set(),
      told: new Map(),
      waits: new Map(),
      goals: [...order.goals],
      broken: null,
      errors: [],
      failed: new Set(),
      oneByOne,
    },
    begin(attempt) {
      const id = nameAttempt(attempt);
      const goal = listGoals(order.goals).find((one) => one.id === attempt.goal) ?? nameGoal(attempt);
      const work = driveAttempt(order, attempt, goal, oneByOne).catch((error) =>
        noteFailure(crew, attempt.goal, id, error),
      );
      crew.atWork.set(
        id,
        work.finally(() => {
          crew.atWork.delete(id);
          crew.ended.add(id);
        }),
      );
    },
  };
  return crew;
}

/** Records the failure of one goal; the others continue. */
function noteFailure(crew: Crew, goal: string, id: string, error: unknown): void {
  if (!(error instanceof DevCliError)) throw error;
  crew.failed.add(goal);
  const problems = error.details.map(({ problem }) => problem).filter((problem) => !error.message.includes(problem));
  crew.errors.push(toBoundedLine([`${id}: ${error.message}`, ...problems].join(' '), 1_000));
}

/** Reads the input of the next plan: the state, and the goals as the file has them now. */
async function readDesk({ site, parallel, readGoals, tell }: BatchOrder, crew: Crew): Promise<ScheduleInput> {
  crew.ended.clear();
  if (site.role.kind === 'desk') await site.role.desk.requireHold();
  const state = await site.streams.read(LOOP);
  for (const [id, attempt] of Object.entries(state.attempts)) {
    const isNew = isForWorkers(site, attempt) && attempt.state !== 'saving' && crew.told.get(id) !== attempt.state;
    if (isNew) tell(`${id}: ${attempt.state}`);
    crew.told.set(id, attempt.state);
  }
  if (state.batch === null) throw new Error('a batch without a record');
  try {
    if (site.role.kind === 'desk') {
      await finishAnswers({ ...site, isHere: true });
      await flushEventsQuietly(site, crew.oneByOne);
    }
    crew.goals = readGoals();
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    crew.broken = error.message;
  }
  const { config, context } = site;
  const now = context.clock.now();
  const spent = Math.max(now - Date.parse(state.batch.startedAt), performance.now() - crew.begunAt);
  return { state, batch: state.batch, goals: crew.goals, config, parallel, now, spent };
}

async function listParked({ streams, role }: AttemptSite): Promise<BatchEnd['parked']> {
  const { attempts } = await streams.read(LOOP);
  return Object.values(attempts)
    .filter(({ state }) => state === 'parked')
    .map(({ goal, run, facts }) => {
      const reason = facts?.run?.said ?? '';
      const answer = role.kind === 'desk' ? `dev-cli fleet take ${goal}` : nameAnswer(run ?? '', facts?.run ?? {});
      return { goal, run, reason, answer };
    });
}

/** Stands in for a goal that goals.yaml no longer has, so that its attempt can still end. */
const nameGoal = ({ goal }: Attempt): LoopGoal => completeGoal({ id: goal, title: goal, status: 'active' }, []);

/**
 * Waits until an attempt's work ends, the pause is over, or somebody changes something: an answer, work handed in, a
 * goal given back. Meanwhile renews the leases of the attempts at work.
 */
async function waitForNews(
  order: BatchOrder,
  crew: Crew,
  { state }: ScheduleInput,
  pause: number | null,
): Promise<void> {
  const { site, tell } = order;
  if (pause !== null && crew.atWork.size === 0) tell(`the tool failed: next try in ${Math.ceil(pause / 1000)} s`);
  // By the monotonic clock: setting the system clock back must not lengthen the pause.
  const until = pause === null ? Number.POSITIVE_INFINITY : performance.now() + pause;
  for (;;) {
    const left = Math.min(LOOK, until - performance.now());
    if (left <= 0 || (await raceWithPause([...crew.atWork.values()], left, site.signal)) || site.signal.aborted) return;
    const now = await site.streams.read(LOOP);
    if (now.seq !== state.seq || (await isAnyAnswered(site, Object.values(now.attempts)))) return;
    await tellWaiting(order, crew, now);
    await renewHolds(site, now, site.context.clock.now());
  }
}

/** Milliseconds that an attempt waits for a worker before its desk asks why. */
const WAITS = 5_000;

/** Reports why every available worker skips an attempt: without such a message, the desk would seem to hang. */
async function tellWaiting({ site, tell }: BatchOrder, crew: Crew, { attempts, leases }: LoopState): Promise<void> {
  if (site.role.kind !== 'desk') return;
  const isWaiting = (one: Attempt): boolean => isForWorkers(site, one) && leases[one.claim ?? '']?.status !== 'active';
  const ids = Object.entries(attempts).flatMap(([id, one]) => (isWaiting(one) ? id : []));
  const now = performance.now();
  crew.waits = new Map(ids.map((id) => [id, crew.waits.get(id) ?? now]));
  const due = ids.filter((id) => now - (crew.waits.get(id) ?? now) > WAITS);
  const workers = due.length === 0 ? [] : await site.role.desk.listWorkers();
  for (const id of due) {
    const reasons = new Map(workers.map(({ worker, passed }) => [passed[id] ?? passed[''], worker]));
    const isPassed = reasons.size > 0 && !reasons.has(undefined);
    crew.waits.set(id, isPassed ? Number.POSITIVE_INFINITY : now);
    const said = [...reasons].map(([reason, worker]) => `${worker}: ${reason}`).join('; ');
    if (isPassed) tell(toBoundedLine(`${id} waits, because every worker passes it by: ${said}`, 1_000));
  }
}

/** Whether a run that an attempt waits for has been answered in any way. */
async function isAnyAnswered({ context, role }: AttemptSite, attempts: readonly Attempt[]): Promise<boolean> {
  if (role.kind === 'desk') return false;
  for (const { state, run } of attempts) {
    if (state !== 'parked' || run === null) continue;
    const { snapshot } = await context.store.read(run);
    if (snapshot === null || !checkWaiting(snapshot).waits) return true;
  }
  return false;
}

/** Waits until one piece of work ends, but no longer than the given time. @returns whether one ended */
async function raceWithPause(work: Promise<void>[], milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const done = new AbortController();
  const ends = work.length > 0 ? done.signal : AbortSignal.any([done.signal, signal]);
  const pause = sleep(milliseconds, false, { signal: ends }).catch(() => false);
  const ended = await Promise.race([...work.map((one) => one.then(() => true)), pause]);
  done.abort();
  return ended;
}

/** Milliseconds between two checks for changes by others. */
const LOOK = 1_000;
