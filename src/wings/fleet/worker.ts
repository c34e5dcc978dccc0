import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { writePrivateFile } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';
import { identifyProcess } from '../../store/process.js';
import { openShared } from './backend.js';
import { type Beat, openBeat } from './beat.js';
import { type FleetMachineConfig, locateConfig, readMachineConfig } from './config.js';
import { type Pool, queryRows } from './database.js';
import { type CarriedAttempt, type Engine, launchEngine } from './engine.js';
import { isAnyLost } from './lease-rows.js';
import { type FleetCall, type FleetPorts, LOOP, type LoopAttempt, type LoopSite, nameAttempt } from './ports.js';
import { openWorkerProject, type WorkerProject } from './project.js';
import { type ServedProject, serveProject } from './served.js';

/** `fleet worker` (fleet.md, Commands): carries on the attempts that desks have begun, until a signal. */

/** Milliseconds between two searches for attempts while this worker has work. */
const LOOK = 500;
/** Longest interval between two searches while this worker is idle, in milliseconds. */
const LONGEST = 2_000;
const TIDY = 60_000;
/** Milliseconds for which no attempt is taken after the database failed. */
const REST = 3_000;

/** Milliseconds to wait at the end for attempts at work; after that their leases simply expire. */
const WIND_DOWN = 60_000;
/** Milliseconds to wait at the end if the database no longer answers: agent sessions take five seconds to end. */
const GRACE = 6_000;
/** Milliseconds to wait for one answer of the database during the wind-down. */
const CLOSE = 2_000;

/** An attempt that this worker holds a claim on. */
interface Held {
  project: WorkerProject;
  attempt: LoopAttempt;
  /** Ends the sessions of the attempt. */
  stop: AbortController;
  opened: Promise<{ site: LoopSite; goal: object }> | null;
}

/**
 * Runs the worker until a signal.
 * @param asked.once ends the worker when nothing is ready
 * @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION`, `LOCKED` if a worker of that name is at work,
 * `SCHEMA_INVALID`, `GIT_FAILED`, `IO`
 */
export async function runWorker(
  ports: FleetPorts,
  context: Context,
  asked: { slots?: number | undefined; once?: boolean | undefined },
  call: FleetCall,
): Promise<Answer> {
  const machine = readMachineConfig(context, call.env);
  if (machine.projects.length === 0)
    throw new DevCliError('USAGE', `${locateConfig(context, call.env)} lists no project.`, {
      fix: 'List the projects that this machine works for under `projects`: docs/fleet.md.',
    });
  const { pool, url } = await openShared(context, call);
  const { name: worker, leaseSeconds, clones } = machine;
  const given = { pool, worker, clones, call, signal: context.signal };
  const slots = asked.slots ?? machine.slots;
  const about = { worker, version: ports.loop.version, cliVersion: context.cliVersion, slots, leaseSeconds };
  const record = join(clones, '.process');
  const beat = await openBeat(pool, { ...about, projects: machine.projects }, context.reader.read(record));
  writePrivateFile(record, JSON.stringify(identifyProcess()), clones);
  const held = new Map<string, Held>();
  const leg = (one: CarriedAttempt): Promise<'again' | 'over'> => carry(ports, held, one, call.tell);
  const engine = await launchEngine({
    url,
    worker,
    version: ports.loop.version,
    log: call.tell,
    leg,
    // After any other error, the engine repeats the step. A worker that was told to end leaves that to others.
    isFinal: (error) => context.signal.aborted || isFinal(error) || isHopeless(error),
  });
  const served = machine.projects.map((one) => {
    const open = async (): Promise<WorkerProject> => {
      const project = await openWorkerProject(ports, given, one);
      // First ends sessions and removes trees that a previous process left, of attempts that are settled or elsewhere
      // now.
      await project.tidy().catch((error: unknown) => call.tell(`${one.project}: ${toWords(error)}`));
      return project;
    };
    return serveProject(one.project, open, { beat, worker, tell: call.tell });
  });
  const crew: Crew = {
    ports,
    context,
    call,
    pool,
    engine,
    beat,
    held,
    served,
    slots,
    done: 0,
    rests: 0,
    replaced: null,
  };
  const timer = setInterval(() => void keepAlive(crew, machine), (leaseSeconds * 1_000) / 6);
  call.tell(`${worker}: at work for ${served.map(({ name }) => name).join(', ')}, ${slots} at once`);
  const working = work(crew, { once: asked.once === true, minutes: leaseSeconds / 60, worker });
  try {
    // On a signal, do not wait for a search that is blocked on the database.
    await Promise.race([working, waitForAbort(context.signal)]);
  } finally {
    await windDown(crew, working);
    clearInterval(timer);
  }
  const exit = context.signal.aborted ? 130 : 0;
  const json = { ok: exit === 0, worker, carried: crew.done };
  return { exit, json, text: () => `${worker}: attempts carried on: ${crew.done}.` };
}

/** Stops the attempts and waits for their end: at most WIND_DOWN, and at most GRACE once the database is silent. */
async function windDown({ held, engine, beat, pool }: Crew, working: Promise<void>): Promise<void> {
  let isLooking = true;
  void working
    .catch(() => {})
    .then(() => {
      isLooking = false;
    });
  const until = performance.now() + WIND_DOWN;
  let answered = performance.now();
  let isThere: boolean;
  do {
    // Repeated in every round, because a search under way may have taken another attempt in the meantime.
    for (const { stop } of held.values()) stop.abort();
    isThere = await isAnswering(pool);
    if (isThere) answered = performance.now();
    await sleep(LOOK / 5);
  } while ((isLooking || held.size > 0) && performance.now() < Math.min(until, answered + GRACE));
  const close = async (): Promise<void> => {
    await engine.stop();
    await beat.end();
    await pool.end();
  };
  // Leases that are not given back expire by themselves.
  await Promise.race([close().catch(() => {}), sleep(isThere ? WIND_DOWN : CLOSE)]);
}

const isAnswering = (pool: Pool): Promise<boolean> => {
  const asked = queryRows(pool, 'SELECT 1')
    .then(() => true)
    .catch(() => false);
  return Promise.race([asked, sleep(CLOSE, false)]);
};

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

/** Whether a retry on this machine would fail in the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof DevCliError &&
  ['FLEET_UNTRUSTED', 'GOAL_REFUSED', 'STATE_NEWER', 'TOOL_MISSING'].includes(error.code);

/** Whether what an attempt left behind is damaged, so that no machine can continue it. */
const isHopeless = (error: unknown): boolean =>
  error instanceof DevCliError && ['JOURNAL_CORRUPT', 'STATE_CORRUPT', 'CONTENT_MISSING'].includes(error.code);

const toWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isOfDatabase = (error: unknown): boolean =>
  error instanceof DevCliError && ['FLEET_UNAVAILABLE', 'FLEET_VERSION'].includes(error.code);

interface Crew {
  ports: FleetPorts;
  context: Context;
  call: FleetCall;
  pool: Pool;
  engine: Engine;
  beat: Beat;
  held: Map<string, Held>;
  served: readonly ServedProject[];
  slots: number;
  /** How many times this worker has taken an attempt. */
  done: number;
  /** Time until which no attempt is taken, in milliseconds of the process's clock. */
  rests: number;
  /** The error that ends this worker: another process has taken over its name. */
  replaced: DevCliError | null;
}

/** Options of a search for attempts. */
interface Asked {
  once: boolean;
  minutes: number;
  worker: string;
}

/** Looks for attempts again and again, until the signal or, with `once`, until none is left. */
async function work(crew: Crew, asked: Asked): Promise<void> {
  const { context, served, held } = crew;
  let tidied = performance.now();
  let pause = LOOK;
  while (!context.signal.aborted) {
    if (crew.replaced !== null) throw crew.replaced;
    const { taken, isAwaited } = await lookAround(crew, asked);
    if (asked.once && taken === 0 && held.size === 0 && !isAwaited) break;
    if (held.size === 0 && performance.now() - tidied > TIDY) {
      for (const one of served) await one.use((project) => project.tidy());
      tidied = performance.now();
    }
    pause = taken > 0 || held.size > 0 ? LOOK : Math.min(pause * 1.2, LONGEST);
    await sleep(pause, undefined, { signal: context.signal }).catch(() => {});
  }
  // A CI job must fail if attempts could not be searched for in one of the projects.
  for (const { problem } of served) if (asked.once && problem() !== null) throw problem();
}

/** Takes the available attempts of each project while slots are free. */
async function lookAround(crew: Crew, asked: Asked): Promise<Found> {
  const all: Found = { taken: 0, isAwaited: false };
  for (const one of crew.served) {
    if (crew.held.size >= crew.slots || performance.now() < crew.rests) break;
    if (asked.once) await one.opened();
    const found = await one.use((project) => takeAll(crew, project, asked));
    all.taken += found?.taken ?? 0;
    all.isAwaited ||= found?.isAwaited ?? false;
  }
  return all;
}

/** What a search found: the number of attempts taken, and whether an attempt whose worker is gone will soon be free. */
interface Found {
  taken: number;
  isAwaited: boolean;
}

async function takeAll(crew: Crew, project: WorkerProject, { once, minutes, worker }: Asked): Promise<Found> {
  const { ports, context, held, slots, beat, engine, pool, call } = crew;
  if (!(await project.isRegistered())) return { taken: 0, isAwaited: false };
  const state = await project.streams.read(LOOP);
  const { accepted, passed } = await project.sift(ports.loop.listCarried(state));
  beat.note(project.project, passed);
  for (let taken = 0; ; taken += 1) {
    if (held.size >= slots || context.signal.aborted || accepted.size === 0) return { taken, isAwaited: false };
    const claim = `QCLM_${context.ids.hex(12)}`;
    const accepts = (attempt: LoopAttempt): boolean => accepted.has(nameAttempt(attempt));
    const taker = { worker, claim, minutes, accepts, isSteady: beat.isSteady() };
    const attempt = await ports.loop.claimNext(project.streams, taker);
    if (attempt === null) {
      const claims = [...accepted].flatMap((id) => state.attempts[id]?.claim ?? []);
      return { taken, isAwaited: once && !beat.isSteady() && (await isAnyLost(pool, project.project, claims)) };
    }
    const before = state.attempts[nameAttempt(attempt)]?.claim;
    begin(crew, project, attempt, claim);
    // The previous worker's engine may still be carrying the attempt. It would stop by itself as soon as it notices
    // that its claim is over.
    const lost = { project: project.project, attempt: nameAttempt(attempt), claim: before ?? '' };
    if (before != null && state.leases[before]?.status !== 'released')
      await engine.cancel([lost]).catch((error: unknown) => call.tell(`${project.project}: ${toWords(error)}`));
  }
}

function begin(crew: Crew, project: WorkerProject, attempt: LoopAttempt, claim: string): void {
  const { held, engine, ports, call, context } = crew;
  const id = nameAttempt(attempt);
  const one: Held = { project, attempt, stop: new AbortController(), opened: null };
  held.set(claim, one);
  crew.done += 1;
  const run = engine.start({ project: project.project, attempt: id, claim });
  const giveUp = async (error: unknown): Promise<void> => {
    const reason = toWords(error);
    call.tell(`${id}: ${reason}`);
    // Not over: another machine may trust the attempt or be newer; and a database failure says nothing about it.
    const ails = isOfDatabase(error);
    if (ails) crew.rests = performance.now() + REST;
    const isForOthers = isFinal(error);
    if (isForOthers) project.pass(attempt, reason);
    const isOver = !ails && !isForOthers && !context.signal.aborted;
    await ports.loop.letGo(project.streams, attempt, { reason, isOver });
  };
  void run
    .catch(giveUp)
    .catch((error: unknown) => call.tell(`${id}: ${toWords(error)}`))
    .finally(() => held.delete(claim));
}

/** Carries out one step of an attempt for the engine. */
async function carry(
  { loop }: FleetPorts,
  held: ReadonlyMap<string, Held>,
  { attempt: id, claim }: CarriedAttempt,
  tell: (line: string) => void,
): Promise<'again' | 'over'> {
  const one = held.get(claim);
  // A previous process of this worker took the attempt. A later search finds it again by its row in the database.
  if (one === undefined) return 'over';
  one.opened ??= one.project.open(one.attempt, one.stop.signal);
  const { site, goal } = await one.opened.catch((error: unknown) => {
    one.opened = null;
    throw error;
  });
  return loop.carryOn(site, id, { claim, goal, tell });
}

/** Renews the leases; if that fails for a whole lease, ends the sessions before another worker can start its own. */
async function keepAlive(crew: Crew, { leaseSeconds }: FleetMachineConfig): Promise<void> {
  const { beat, held, call } = crew;
  const before = [...held];
  try {
    const mine = await beat.renew(before.map(([claim]) => claim));
    for (const [claim, { stop }] of before) if (!mine.has(claim)) stop.abort();
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    if (error.code === 'LOCKED') crew.replaced = error;
    call.tell(error.message);
    if (beat.silence() > leaseSeconds * 1_000) for (const [, { stop }] of before) stop.abort();
  }
}
