import { DevCliError } from '../base/errors.js';
import type { ResolvedBlock, SubagentBlock } from '../recipe/resolved.js';
import { blockOf, type Turn } from '../run/turn.js';
import type { Pending } from './acknowledgement.js';
import { changedApprovals } from './approvals.js';
import { inputDigest } from './evidence.js';
import { changedSinceHanded } from './subagent/handed.js';
import { filled } from './values.js';

/**
 * Compares the documents that finished blocks were built on with what they were (recipes.md, Staleness). A change by
 * somebody else is a warning once, or a refusal where the block says so. DRAFT.md is everybody's, so only a block with
 * `stale: block` looks at it.
 * @throws DevCliError `INPUT_CHANGED`
 */
export function checkInputs(turn: Turn): void {
  for (const [id, inputs] of Object.entries(turn.state.inputHashes)) {
    const block = blockOf(turn, id);
    for (const [path, recorded] of Object.entries(inputs)) {
      const now = inputDigest(turn.files, path);
      if (now === recorded) continue;
      if (block.stale === 'block') {
        throw new DevCliError('INPUT_CHANGED', `${path} changed since "${id}" built on it.`, {
          details: [{ target: path, problem: now === null ? 'removed' : 'changed' }],
          fix: { command: 'step invalidate', input: { name: turn.state.name, step: id } },
        });
      }
      turn.warnings.push(`${path} changed since "${id}" built on it`);
      inputs[path] = now;
    }
  }
}

/** Tells which gates were decided on an artifact that has changed since. Told every time: it goes on being true. */
export function checkApprovals(turn: Turn): void {
  for (const { block, choice, path } of changedApprovals(turn)) {
    turn.warnings.push(`${path} changed since "${block}" was answered with "${choice}"`);
  }
}

/**
 * Refuses a review that is about something else than what lies there now. The step is done again, with what is there.
 * @throws DevCliError `INPUT_CHANGED`
 */
export function refuseOutdated(turn: Turn, { block, state }: Pending<SubagentBlock>, without: string[]): void {
  const changed = changedSinceHanded(turn, block, state, without);
  if (changed.length === 0) return;
  throw new DevCliError(
    'INPUT_CHANGED',
    `${changed.join(', ')} changed after "${block.id}" was handed out; a verdict on what was there before does not count.`,
    {
      details: changed.map((path) => ({ target: path, problem: 'changed since the action was issued' })),
      fix: { command: 'step invalidate', input: { name: turn.state.name, step: block.id } },
    },
  );
}

/**
 * Records what a block that is done was built on: what its agents were handed, and what lies there now. To be called before the run goes on: a choice that leads back retracts
 * the block, and its inputs with it.
 */
export function noteInputs(turn: Turn, { block, state }: Pending): void {
  const paths = inputsOf(turn, block).filter((path) => path !== 'DRAFT.md' || block.stale === 'block');
  if (paths.length === 0) return;
  const now = Object.fromEntries(paths.map((path) => [path, inputDigest(turn.files, path)]));
  const handed = Object.entries(state.handed ?? {}).filter(([path]) => path in now);
  turn.state.inputHashes[block.id] = { ...now, ...Object.fromEntries(handed) };
}

function inputsOf(turn: Turn, block: ResolvedBlock): string[] {
  if (!('read' in block)) return [];
  const agents = 'agents' in block ? block.agents.flatMap((agent) => agent.readsFrom) : [];
  return [...new Set([...block.read, ...block.consult, ...agents])].map((path) => filled(turn, path, block.id));
}
