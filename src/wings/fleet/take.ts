import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { requireTrust } from '../../protocol/trust/trust.js';
import { requireRecipe } from '../../recipe/load/load.js';
import type { Context } from '../../run/context.js';
import { identifyProcess } from '../../store/process.js';
import { findRepository, type GitOptions } from '../../work/git-command.js';
import { fetchReferences } from '../../work/remote.js';
import { openProjectStreams, openShared, readAt } from './backend.js';
import { createCarrier } from './boundary.js';
import {
  type FleetCall,
  type FleetPorts,
  LOOP,
  type LoopAttempt,
  type LoopCarriedGoal,
  type LoopSite,
  nameAttempt,
  nameHead,
} from './ports.js';
import { openLibraryAt } from './recipes.js';
import { openRemoteRefs } from './refs.js';

/**
 * `fleet take` and `fleet give` (fleet.md, Trust, persons): bring an attempt that waits for a person to that person's
 * root, and back.
 */

/** Minutes of a person's lease; a person who needs longer takes the attempt again. */
const MINUTES = 240;

/**
 * Brings an attempt to this root: a parked attempt with its tree and its run, a settled one only as its kept commit.
 * @throws DevCliError `TERMINAL_REQUIRED` if a harness's mark is set, `USAGE` for a goal without an attempt,
 * `CLAIM_REFUSED` if another person or worker holds the attempt, `FLEET_UNAVAILABLE`, `FLEET_UNTRUSTED`, `GIT_FAILED`,
 * `IO`
 */
export async function takeAttempt(ports: FleetPorts, context: Context, goal: string, call: FleetCall): Promise<Answer> {
  const person = await openPerson(ports, context, call);
  const attempt = person.find(goal);
  if (attempt === undefined) return takeKept(person, goal);
  if (attempt.state !== 'parked')
    throw refuse(goal, `its attempt is at ${attempt.state} and does not wait for a person`);
  const claimed = await ports.loop.claimParked(person.streams, { ...person.taker, goal });
  try {
    await ports.loop.bringParked((await person.open(claimed)).site, claimed);
  } catch (error) {
    // Release it now: another person may succeed and need not wait for the lease to expire.
    await ports.loop.letGo(person.streams, claimed, { reason: 'it could not be brought to a person', isOver: false });
    throw error;
  }
  const run = claimed.run ?? '';
  return {
    exit: 0,
    json: { ok: true, goal, attempt: nameAttempt(claimed), run: claimed.run, claim_id: claimed.claim ?? null },
    text: () =>
      `${nameAttempt(claimed)} is here. Answer it, then give it back:\n  dev-cli approve ${run}\n  dev-cli fleet give ${goal}`,
  };
}

/** Gives an attempt back: if it was answered, a worker continues it. @throws DevCliError as `takeAttempt` */
export async function giveAttemptBack(
  ports: FleetPorts,
  context: Context,
  goal: string,
  call: FleetCall,
): Promise<Answer> {
  const person = await openPerson(ports, context, call);
  const attempt = person.find(goal);
  if (attempt === undefined || attempt.claim == null || !person.holds(attempt.claim))
    throw refuse(goal, 'it was not taken here, or somebody else has it now');
  const { site, carried } = await person.open(attempt);
  const state = await ports.loop.giveParked(site, attempt, carried.goal);
  const goesOn = state !== 'parked';
  return {
    exit: 0,
    json: { ok: true, goal, attempt: nameAttempt(attempt), state },
    text: () => `${nameAttempt(attempt)}: ${goesOn ? 'a worker continues it' : 'given back; it still waits'}.`,
  };
}

/**
 * Returns the name of the person at a root, which a reboot does not change. It is not secret: it tells others where the
 * attempt is.
 */
function namePerson({ home, root }: Context): string {
  const [host = ''] = identifyProcess().host.split('@');
  return `person:${toBoundedLine(host, 40)}:${sha256(canonicalJson([home, root])).slice(0, 12)}`;
}

/** Opens a project for the person at this root. */
async function openPerson({ loop }: FleetPorts, context: Context, call: FleetCall) {
  if (context.mark !== null)
    throw new DevCliError(
      'TERMINAL_REQUIRED',
      `A person must do this: ${context.mark} is set, so an agent is calling.`,
      {
        fix: 'Show the user the command to run in a terminal of their own.',
      },
    );
  const { project, remote } = loop.requireFleet(context);
  const { pool } = await openShared(context, call);
  const streams = openProjectStreams(loop, context, { pool, project, bringKept: async () => {} });
  const state = await streams.read(LOOP);
  const git: GitOptions = { env: call.env };
  const found = await findRepository(context.root, git);
  if (found.kind !== 'repository') throw new DevCliError('NEEDS_MISSING', 'There is no git repository here.');
  const top = context.root;
  const refs = openRemoteRefs(top, remote, git);
  const worker = namePerson(context);
  const trusted = new Set<string>();
  const place = { context, top, remote, git, pool, project, streams, refs, trusted };
  return {
    ...{ streams, top, remote, git, refs },
    taker: { worker, claim: `QCLM_${context.ids.hex(12)}`, minutes: MINUTES },
    find: (goal: string) => Object.values(state.attempts).find((one) => one.goal === goal),
    holds: (claim: string) => state.leases[claim]?.worker === worker && state.leases[claim]?.status === 'active',
    async open(attempt: LoopAttempt): Promise<{ site: LoopSite; carried: LoopCarriedGoal }> {
      const own = [`refs/dev-cli/attempts/${attempt.goal}/*`, nameHead(attempt)];
      const there = await refs.list(nameHead(attempt));
      const wanted = there.size === 0 ? own.slice(0, 1) : own;
      await fetchReferences(top, remote, [...wanted.map((name) => `+${name}:${name}`), attempt.base], git);
      const carried = readAt(loop, top, { commit: attempt.base, goal: attempt.goal, git });
      if (carried === null) throw refuse(attempt.goal, 'it is not in .ai/goals.yaml of the commit that it starts from');
      if (carried.recipe !== null) {
        // A person needs the same trust as to begin a run of the recipe here; the recipe in the freight must then have
        // the digest that was trusted.
        const library = openLibraryAt(context, { commit: attempt.base, git });
        const captured = requireRecipe(library, carried.recipe);
        requireTrust(context, captured);
        trusted.add(captured.digest);
      }
      const at = { ...context, library: openLibraryAt(context, { commit: attempt.base, git }) };
      const carrier = createCarrier({ ...place, context: at, recipe: carried.recipe, ahead: 'refuse' });
      const given = { streams, openRefs: () => refs, worker, carrier, attempt, carried };
      return { site: await loop.openSite(context, call, given), carried };
    },
  };
}

/** Fetches the last kept commit of a goal as a local reference. */
async function takeKept(
  { refs, top, remote, git }: Awaited<ReturnType<typeof openPerson>>,
  goal: string,
): Promise<Answer> {
  const prefix = `refs/dev-cli/attempts/${goal}`;
  const names = [...(await refs.list(prefix)).keys()].sort(
    (a, b) => Number(a.split('/').at(-1)) - Number(b.split('/').at(-1)),
  );
  const name = names.at(-1);
  if (name === undefined) throw refuse(goal, 'it has no attempt');
  await fetchReferences(top, remote, [`+${prefix}/*:${prefix}/*`], git);
  return {
    exit: 0,
    json: { ok: true, goal, ref: name },
    text: () => `${name} is here.\n  git diff ${name}^ ${name}\n  git cherry-pick --no-commit ${name}`,
  };
}

const refuse = (goal: string, problem: string): DevCliError =>
  new DevCliError('USAGE', `The goal ${goal} cannot be taken or given back: ${problem}.`, {
    fix: ['See what waits: ', { command: 'inbox list', input: {} }, '.'],
  });
