import type { Answer } from '../../../base/answer.js';
import { formatInstant } from '../../../base/clock.js';
import { DevCliError } from '../../../base/errors.js';
import { maskSecrets, toBoundedLine } from '../../../documents/foreign.js';
import { createFile, requireInside } from '../../../project/own-places.js';
import type { HandlersOf } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { openLoopBackend } from '../backend.js';
import { nameBatch } from '../core/events.js';
import { findActiveLease, type GoalOffer } from '../core/leases.js';
import { goalRefusedError } from '../core/order.js';
import { readLoopFiles } from '../files.js';
import { listGoals } from '../goals.js';
import { listOffers } from '../queue/commands.js';
import type { LoopCall, LoopPorts } from '../site.js';
import { CLOSED_RETENTION_MS } from '../state.js';
import type { LoopState } from '../state-schema.js';
import { previewPrompt } from '../steps/session.js';
import { LOOP } from '../streams.js';
import { findBatch, findRepositoryBranch } from './place.js';
import type { PacketTask } from './schemas.js';
import type { PACKET_SPECS } from './specs.js';

type Input = Parameters<HandlersOf<typeof PACKET_SPECS>['protocol export']>[1];

/** The directory of packets, relative to the root. */
const OUTBOX = '.ai/protocols/outbox';

/**
 * `protocol export` (loop-operations.md, Packets).
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `GOAL_REFUSED`, `NEEDS_MISSING`, `CONTEXT_TOO_LARGE`, `LOCKED`, `IO`
 */
export async function exportPacket(ports: LoopPorts, context: Context, input: Input, call: LoopCall): Promise<Answer> {
  const { root, clock, ids } = context;
  const { config, goals } = readLoopFiles(context);
  const { streams } = await openLoopBackend(ports, context, call);
  const state = await streams.read(LOOP);
  const offer = chooseOffer(listOffers(context, goals, state), state, input, formatInstant(clock.now()));
  const goal = listGoals(goals).find(({ id }) => id === offer.id);
  if (goal === undefined) throw new Error('a goal that is offered is one of the file');
  const git = { env: call.env };
  const { tip: base } = await findRepositoryBranch(context, state, git);
  const format = input.contextFormat ?? 'plain';
  const text = input.noIncludeContext ? null : await ports.tellContext(context, call, goal.id, format);
  // The context has its own field in the packet, so the prompt omits it.
  const site = { context, config, streams, tellContext: async () => '', top: root, git };
  const prompt = await previewPrompt(site, goal, null);
  if (!input.noWrite) requireInside(root, OUTBOX);
  const id = `pkt_${ids.hex(16)}`;
  const adapter = input.adapter;
  const { at, runId } = await streams.transact(LOOP, (now, at) => {
    const runId = findBatch(now)?.runId ?? nameBatch(clock.now(), ids.hex(4));
    const known = Object.entries(now.packets).filter(
      ([, one]) => Date.parse(at) - Date.parse(one.at) < CLOSED_RETENTION_MS,
    );
    const packets = { ...Object.fromEntries(known), [id]: { goal: goal.id, adapter, base, runId, at, seen: false } };
    return {
      answer: { at, runId },
      state: { ...now, packets },
      entry: { type: 'packet', data: { id, goal: goal.id } },
    };
  });
  const { title, acceptance, allowed_changes, expect_failure } = goal;
  const packet: PacketTask = {
    ...{ schema_version: 'protocol_task.v1', packet_id: id, adapter, created_at: at, run_id: runId, base },
    goal: { id: goal.id, title, acceptance, allowed_changes, expect_failure },
    execution: { role: offer.role, mode: 'non-interactive', prompt: maskSecrets(prompt) },
    context: { included: text !== null, format, text: text === null ? null : maskSecrets(text) },
    instructions: [
      `Work on the commit ${base} in a tree of your own, and change nothing in .git, .ai or .dev.`,
      `Write the result as a JSON file: {"schema_version": "protocol_result.v1", "adapter": "${adapter}", "goal_id": "${goal.id}", "packet_id": "${id}", "success": true or false, "summary": how it ended}, with the work as "patch" (the text of git diff --binary ${base}) or as "ref" (a commit of this repository), and with your "claim_id" if you have one.`,
      'Hand it in: dev-cli protocol ingest FILE. It is judged by the project’s own tests, not by what it says.',
    ],
  };
  const path = input.noWrite ? null : `${OUTBOX}/${id}.json`;
  if (path !== null) createFile(`${root}/${path}`, `${JSON.stringify(packet, null, 2)}\n`, root);
  return {
    exit: 0,
    json: { ok: true, packet, packet_path: path },
    text: () => (path === null ? JSON.stringify(packet, null, 2) : `${id}: ${goal.id}, in ${path}`),
  };
}

/** Chooses the named goal, even if a worker holds it; without a name, the first free goal with the role. */
function chooseOffer(
  offers: readonly GoalOffer[],
  { leases }: LoopState,
  { goal, role }: Input,
  at: string,
): GoalOffer {
  const fits = (offer: GoalOffer): boolean => role === undefined || offer.role === role;
  if (goal === undefined) {
    const free = offers.find((one) => one.why === null && fits(one) && findActiveLease(leases, one.id, at) === null);
    if (free !== undefined) return free;
    throw new DevCliError(
      'GOAL_REFUSED',
      `No goal${role === undefined ? '' : ` of the role ${toBoundedLine(role, 60)}`} is free.`,
      {
        fix: 'Name a goal with --goal; dev-cli observe lists them.',
      },
    );
  }
  const named = offers.find(({ id }) => id === goal);
  const why =
    named === undefined ? 'there is no such goal' : (named.why ?? (fits(named) ? null : `its role is ${named.role}`));
  if (named !== undefined && why === null) return named;
  throw goalRefusedError(goal, why ?? '', 'Name another goal; dev-cli observe lists them.');
}
