import { DevCliError } from '../../base/errors.js';
import { canonicalJson, isSameJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { isTrusted } from '../../project/trust.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { isKnownSound } from '../../recipe/load/shipped-texts.js';
import { parseCaptured } from '../../run/captured-recipe.js';
import type { Context } from '../../run/context.js';

/**
 * Refuses the recipe of a run from another machine unless it is shipped or trusted here, by fleet.yaml or by a person
 * at a terminal (fleet.md, Trust). Recompiles its sources, because the digest covers only them and not the compiled
 * recipe.
 * @param text recipe.json, which anybody may have changed
 * @param claimed the recipe's digest according to the run
 * @param trusted digests
 * @throws DevCliError `FLEET_UNTRUSTED`; `STATE_CORRUPT` if the text is not a captured recipe; `STATE_NEWER`
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
    // No compiler has version 0, so the sources are always recompiled.
    isSameJson(parseCaptured(JSON.stringify({ ...captured, compiler: 0 })), captured);
  if (isOfSources && isRecipeTrusted(context, captured, trusted)) return;
  const { name } = captured.workflow ?? captured.recipe;
  const problem = isOfSources ? 'is not trusted on this machine' : 'does not match its digest';
  throw new DevCliError('FLEET_UNTRUSTED', `The recipe ${JSON.stringify(name)} of a run from elsewhere ${problem}.`, {
    details: [{ target: digest, problem }],
    fix: `Have this machine’s administrator add ${digest} to \`trust\` of the project in fleet.yaml, or leave the goal to another worker.`,
  });
}

/** Whether a recipe is shipped, or trusted here by fleet.yaml or by a person at a terminal. @param trusted digests */
export const isRecipeTrusted = (
  { trustDirectory }: Pick<Context, 'trustDirectory'>,
  captured: CapturedRecipe,
  trusted: ReadonlySet<string>,
): boolean => trusted.has(captured.digest) || isKnownSound(captured) || isTrusted(trustDirectory, captured.digest);
