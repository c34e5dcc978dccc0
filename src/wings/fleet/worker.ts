import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { openShared } from './backend.js';
import { type Beat, openBeat } from './beat.js';
import { type MachineConfig, readMachineConfig } from './config.js';
import { type Carried, type Engine, launchEngine } from './engine.js';
import { type Attempt, type Call, type FleetPorts, LOOP, type LoopState, nameAttempt, type Site } from './ports.js';
import { openWorkerProject, type WorkerProject } from './project.js';

/** `fleet worker` (fleet.md, Commands): carries on what desks have begun, until a signal. */

/** How often rows are looked for, and how often trees of settled attempts, in milliseconds. */
const LOOK = 500;
/** The same for a worker that has nothing to do, in the end. */
const LONGEST = 2_000;
const TIDY = 60_000;
/** How long nothing is taken where the engine could not begin, in milliseconds. */
const REST = 3_000;

/** How long what is at work is waited for at the end: then its leases run out. */
const WIND_DOWN = 60_000;

/** An attempt that this worker has. */
interface Held {
  project: WorkerProject;
  attempt: Attempt;
  /** Ends its sessions. */
  stop: AbortController;
  opened: Promise<{ site: Site; goal: object }> | null;
}

/**
 * @param asked.once ends when nothing is ready
 * @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION`, `LOCKED` where a worker of that name is at work, `SCHEMA_INVALID`,
 * `GIT_FAILED`, `IO`
 */
export async function runWorker(
  ports: FleetPorts,
  context: Context,
  asked: { slots?: number | undefined; once?: boolean | undefined },
  call: Call,
): Promise<Answer> {
  const machine = readMachineConfig(context, call.env);
  if (machine.projects.length === 0)
    throw new DevCliError('USAGE', 'The fleet.yaml of this machine names no project.', {
      fix: 'Name what it is to work for under `projects`: docs/fleet.md.',
    });
  const { pool, url } = await openShared(context, call);
  const given = { pool, worker: machine.name, clones: machine.clones, call };
  const slots = asked.slots ?? machine.slots;
  const projects: WorkerProject[] = [];
  for (const one of machine.projects) projects.push(await openWorkerProject(ports, given, one));
  const { name: worker, leaseSeconds } = machine;
  const about = { worker, version: ports.loop.version, cliVersion: context.cliVersion, slots, leaseSeconds };
  const beat = await openBeat(pool, { ...about, projects: machine.projects });
  const held = new Map<string, Held>();
  const leg = (one: Carried): Promise<'again' | 'over'> => carry(ports, held, one, call.tell);
  const engine = await launchEngine({
    url,
    worker: machine.name,
    version: ports.loop.version,
    log: call.tell,
    leg,
    // Whoever is told to end leaves what fails to others.
    isFinal: (error) => context.signal.aborted || isFinal(error) || isHopeless(error),
  });
  const crew: Crew = {
    ...{ ports, context, call, engine, beat, held, projects, slots },
    done: 0,
    rests: 0,
    replaced: null,
  };
  const timer = setInterval(() => void keepAlive(crew, machine), (machine.leaseSeconds * 1_000) / 6);
  call.tell(`${machine.name}: at work for ${projects.map(({ project }) => project).join(', ')}, ${slots} at once`);
  try {
    await work(crew, { once: asked.once === true, minutes: machine.leaseSeconds / 60, worker: machine.name });
  } finally {
    clearInterval(timer);
    for (const { stop } of held.values()) stop.abort();
    const until = performance.now() + WIND_DOWN;
    while (held.size > 0 && performance.now() < until) await sleep(LOOK / 5);
    await engine.stop();
    await beat.end();
    await pool.end();
  }
  const exit = context.signal.aborted ? 130 : 0;
  const json = { ok: exit === 0, worker: machine.name, carried: crew.done };
  return { exit, json, text: () => `${machine.name}: carried ${crew.done} on.` };
}

/** Repeated, it would be refused again. */
const isFinal = (error: unknown): boolean =>
  error instanceof DevCliError && ['FLEET_UNTRUSTED', 'GOAL_REFUSED', 'STATE_NEWER'].includes(error.code);

/** What was left of an attempt is no more than that on any machine. */
const isHopeless = (error: unknown): boolean =>
  error instanceof DevCliError && ['JOURNAL_CORRUPT', 'STATE_CORRUPT', 'CONTENT_MISSING'].includes(error.code);

const isOfDatabase = (error: unknown): boolean =>
  error instanceof DevCliError && ['FLEET_UNAVAILABLE', 'FLEET_VERSION'].includes(error.code);

interface Crew {
  ports: FleetPorts;
  context: Context;
  call: Call;
  engine: Engine;
  beat: Beat;
  held: Map<string, Held>;
  projects: readonly WorkerProject[];
  slots: number;
  /** How often an attempt was carried on. */
  done: number;
  /** Until when nothing is taken, in milliseconds of the process. */
  rests: number;
  /** Another process has the worker's name by now. */
  replaced: DevCliError | null;
}

/** Takes attempts while there is room. */
async function work(
  crew: Crew,
  { once, minutes, worker }: { once: boolean; minutes: number; worker: string },
): Promise<void> {
  const { context, projects, held } = crew;
  let tidied = Number.NEGATIVE_INFINITY;
  let pause = LOOK;
  while (!context.signal.aborted) {
    if (crew.replaced !== null) throw crew.replaced;
    const { taken, isAwaited } = await lookAround(crew, { once, minutes, worker });
    if (once && taken === 0 && held.size === 0 && !isAwaited) return;
    if (held.size === 0 && performance.now() - tidied > TIDY) {
      for (const project of projects) await project.tidy().catch((error: unknown) => tellFailure(crew, project, error));
      tidied = performance.now();
    }
    pause = taken > 0 || held.size > 0 ? LOOK : Math.min(pause * 1.2, LONGEST);
    await sleep(pause, undefined, { signal: context.signal }).catch(() => {});
  }
}

/** Takes what is to be had in each project, while there is room. A job of CI is to be red where it could not look. */
async function lookAround(
  crew: Crew,
  { once, ...taker }: { once: boolean; minutes: number; worker: string },
): Promise<Found> {
  const all: Found = { taken: 0, isAwaited: false };
  for (const project of crew.projects) {
    if (crew.held.size >= crew.slots || performance.now() < crew.rests) break;
    const look = takeAll(crew, project, taker);
    const found = await (once ? look : look.catch((error: unknown) => tellFailure(crew, project, error)));
    all.taken += found.taken;
    all.isAwaited ||= found.isAwaited;
  }
  return all;
}

/** What keeps a look from being had passes, as a database that is away: the next look is had all the same. */
function tellFailure({ call }: Crew, { project }: WorkerProject, error: unknown): Found {
  if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
  call.tell(`${project}: ${error.message}`);
  return { taken: 0, isAwaited: false };
}

/** What a look has found: how many were taken, and whether one that somebody lost is to be had in a moment. */
interface Found {
  taken: number;
  isAwaited: boolean;
}

async function takeAll(
  crew: Crew,
  project: WorkerProject,
  { minutes, worker }: { minutes: number; worker: string },
): Promise<Found> {
  const { ports, context, held, slots, beat, engine } = crew;
  const state = await project.streams.read(LOOP);
  const { accepted, passed } = await project.sift(ports.loop.listCarried(state));
  beat.note(project.project, passed);
  for (let taken = 0; ; taken += 1) {
    if (held.size >= slots || context.signal.aborted || accepted.size === 0) return { taken, isAwaited: false };
    const claim = `QCLM_${context.ids.hex(12)}`;
    const accepts = (attempt: Attempt): boolean => accepted.has(nameAttempt(attempt));
    const taker = { worker, claim, minutes, accepts, isSteady: beat.isSteady() };
    const attempt = await ports.loop.claimNext(project.streams, taker);
    if (attempt === null) return { taken, isAwaited: !beat.isSteady() && isAnyLost(state, accepted) };
    const before = state.attempts[nameAttempt(attempt)]?.claim;
    begin(crew, project, attempt, claim);
    // Whoever lost it may have an execution open still: once it is seen that its claim is over, it ends by itself, too.
    const lost = { project: project.project, attempt: nameAttempt(attempt), claim: before ?? '' };
    if (before != null && state.leases[before]?.status !== 'released')
      await engine.cancel([lost]).catch((error: unknown) => tellFailure(crew, project, error));
  }
}

/** Whether one of these attempts was somebody's whose lease is over. */
const isAnyLost = ({ attempts, leases }: LoopState, ids: ReadonlySet<string>): boolean =>
  [...ids].some((id) => {
    const lease = leases[attempts[id]?.claim ?? ''];
    return lease !== undefined && lease.status !== 'released' && Date.parse(lease.expiresAt) < Date.now();
  });

function begin(crew: Crew, project: WorkerProject, attempt: Attempt, claim: string): void {
  const { held, engine, ports, call, context } = crew;
  const id = nameAttempt(attempt);
  const one: Held = { project, attempt, stop: new AbortController(), opened: null };
  held.set(claim, one);
  crew.done += 1;
  const run = engine.start({ project: project.project, attempt: id, claim });
  const giveUp = async (error: unknown): Promise<void> => {
    const reason = error instanceof Error ? error.message : String(error);
    call.tell(`${id}: ${reason}`);
    // Another machine may trust it, or be newer; and what ails the database says nothing of the attempt.
    const ails = isOfDatabase(error);
    if (ails) crew.rests = performance.now() + REST;
    const isForOthers = isFinal(error);
    if (isForOthers) project.pass(attempt, reason);
    const isOver = !ails && !isForOthers && !context.signal.aborted;
    await ports.loop.letGo(project.streams, attempt, { reason, isOver });
  };
  void run
    .catch(giveUp)
    .catch((error: unknown) => call.tell(`${id}: ${error instanceof Error ? error.message : String(error)}`))
    .finally(() => held.delete(claim));
}

/** Carries an attempt one step on, as the engine asks. */
async function carry(
  { loop }: FleetPorts,
  held: ReadonlyMap<string, Held>,
  { attempt: id, claim }: Carried,
  tell: (line: string) => void,
): Promise<'again' | 'over'> {
  const one = held.get(claim);
  // What a worker of this name had before it was started anew is found by its row.
  if (one === undefined) return 'over';
  one.opened ??= one.project.open(one.attempt, one.stop.signal);
  const { site, goal } = await one.opened.catch((error: unknown) => {
    one.opened = null;
    throw error;
  });
  return loop.carryOn(site, id, { claim, goal, tell });
}

/** Renews what is held; where that was not to be had for as long as a lease lasts, whoever took over must not meet its sessions. */
async function keepAlive(crew: Crew, { leaseSeconds }: MachineConfig): Promise<void> {
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
