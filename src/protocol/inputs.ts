import { DevCliError } from '../base/errors.js';
import { changedApprovals } from '../effects/approvals.js';
import { blockOf, type Turn } from '../effects/turn.js';
import { filled } from '../effects/values.js';
import type { ResolvedBlock } from '../recipe/resolved.js';

/**
 * Compares the documents that finished blocks were built on with what they were (recipes.md §2, `stale`). A change by
 * somebody else is a warning once, or a refusal where the block says so. DRAFT.md is everybody's, so only a block with
 * `stale: block` looks at it.
 * @throws DevCliError `INPUT_CHANGED`
 */
export function checkInputs(turn: Turn): void {
  for (const [id, inputs] of Object.entries(turn.state.inputHashes)) {
    const block = blockOf(turn, id);
    for (const [path, recorded] of Object.entries(inputs)) {
      const now = inputDigest(turn, path);
      if (now === recorded) continue;
      if (block.stale === 'block') {
        throw new DevCliError('INPUT_CHANGED', `${path} changed since "${id}" built on it.`, {
          run: turn.state.name,
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
 * Records what a block that is done was built on. To be called before the run goes on: a choice that leads back retracts
 * the block, and its inputs with it.
 */
export function noteInputs(turn: Turn, block: ResolvedBlock): void {
  const paths = inputsOf(turn, block).filter((path) => path !== 'DRAFT.md' || block.stale === 'block');
  if (paths.length === 0) return;
  turn.state.inputHashes[block.id] = Object.fromEntries(paths.map((path) => [path, inputDigest(turn, path)]));
}

/** The digest of a regular file that can be read whole; null for all else, as for nothing. */
function inputDigest(turn: Turn, path: string): string | null {
  if (turn.files.facts(path).kind !== 'file') return null;
  try {
    return turn.files.digest(path);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'EVIDENCE_INVALID') return null;
    throw error;
  }
}

function inputsOf(turn: Turn, block: ResolvedBlock): string[] {
  if (!('read' in block)) return [];
  const agents = 'agents' in block ? block.agents.flatMap((agent) => agent.readsFrom) : [];
  return [...new Set([...block.read, ...block.consult, ...agents])].map((path) => filled(turn, path, block.id));
}
