import { DevCliError } from '../../base/errors.js';
import { canonicalJson, isSameJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { isTrusted } from '../../project/trust.js';
import { isKnownSound } from '../../recipe/load/shipped-texts.js';
import type { CapturedRecipe } from '../../recipe/resolved.js';
import { parseCaptured } from '../../run/captured-recipe.js';
import type { Context } from '../../run/context.js';

/**
 * Refuses the recipe of a run from elsewhere unless it ships, or is trusted on this machine: by fleet.yaml, or by somebody at a
 * terminal (fleet.md, Trust). What it was captured from is compiled once more: the digest alone says nothing of what it became.
 * @param text recipe.json, as anybody may have changed it
 * @param claimed the digest that the run says that its recipe has
 * @param trusted digests
 * @throws DevCliError `FLEET_UNTRUSTED`; `STATE_CORRUPT` for what is no captured recipe; `STATE_NEWER`
 */
export function requireFreightTrust(
  context: Pick<Context, 'trustDirectory'>,
  { text, claimed }: { text: string; claimed: string },
  trusted: ReadonlySet<string>,
): void {
  const captured = parseCaptured(text);
  const { digest, sources } = captured;
  const isOfSources =
    digest === claimed &&
    digest === sha256(canonicalJson(sources.map((source) => [source.path, source.sha256]))) &&
    sources.every((source) => sha256(source.text) === source.sha256) &&
    // No version of the compiler, so that it is always compiled.
    isSameJson(parseCaptured(JSON.stringify({ ...captured, compiler: 0 })), captured);
  if (isOfSources && isRecipeTrusted(context, captured, trusted)) return;
  const { name } = captured.workflow ?? captured.recipe;
  const problem = isOfSources ? 'is not trusted on this machine' : 'is not what its digest says';
  throw new DevCliError('FLEET_UNTRUSTED', `The recipe ${JSON.stringify(name)} of a run from elsewhere ${problem}.`, {
    details: [{ target: digest, problem }],
    fix: `Whoever runs this machine adds ${digest} to \`trust\` of the project in fleet.yaml, or the goal waits for another worker.`,
  });
}

/** Whether a recipe ships, or is trusted on this machine: by fleet.yaml, or by somebody at a terminal. @param trusted digests */
export const isRecipeTrusted = (
  { trustDirectory }: Pick<Context, 'trustDirectory'>,
  captured: CapturedRecipe,
  trusted: ReadonlySet<string>,
): boolean => trusted.has(captured.digest) || isKnownSound(captured) || isTrusted(trustDirectory, captured.digest);
