import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { grantTrust, isTrusted } from '../../project/trust.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { listAllExternalCommands, listCommandsToTrust } from '../../recipe/external-commands.js';
import { requireRecipe } from '../../recipe/load/load.js';
import { listWidening } from '../../recipe/widening.js';
import { quoteForShell } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import type { WithPorts } from '../ports.js';
import { renderCommandLines } from './command-lines.js';
import { computeCloneDigest } from './digests.js';
import { requireTerminal, SHOW_ANSWER } from './person.js';

/**
 * Refuses a project's recipe with external commands unless a person has trusted this version of it (protocol.md §4).
 * @throws DevCliError `RECIPE_UNTRUSTED`
 */
export function requireTrust(context: Context, captured: CapturedRecipe): void {
  const commands = listCommandsToTrust(captured);
  if (context.simulation !== undefined || commands.length === 0 || isTrusted(context.trustDirectory, captured.digest))
    return;
  const { name } = captured.workflow ?? captured.recipe;
  const whose = findSharedFile(captured) ?? 'of this project';
  throw new DevCliError('RECIPE_UNTRUSTED', `The recipe "${name}" ${whose} runs external commands.`, {
    details: commands.map((argv) => ({ target: quoteCommand(argv), problem: 'runs on this machine, not trusted yet' })),
    fix: SHOW_ANSWER,
    answer: { command: 'trust', input: { recipe: name } },
  });
}

/**
 * Whether a person has accepted, in this clone, that this version of a recipe lets commands of a plan start without
 * anybody being asked.
 */
export function isWideningTrusted(context: Context, { digest }: Pick<CapturedRecipe, 'digest'>): boolean {
  return isTrusted(context.trustDirectory, computeCloneDigest(context, 'recipe', digest));
}

/** Returns, in parentheses, the path of a recipe that comes from a shared home; null for any other recipe. */
function findSharedFile({ sources, homes = [] }: CapturedRecipe): string | null {
  const path = sources[0]?.path ?? '';
  return homes.some((home) => path.startsWith(`${home}/`)) ? `(${toBoundedLine(path, 200)})` : null;
}

/**
 * `trust WORD`: asks the person to trust the project's preferences, the commands of its configuration, autopilot, the
 * run of that name if it came from elsewhere, or else the recipe of that name (protocol.md §4).
 * @throws DevCliError as `trustPreferences`, `trustConfig`, `trustAutopilot`, `trustRun` and `trustRecipe`
 */
export async function trustNamed(context: Context & WithPorts<'config'>, word: string): Promise<Answer> {
  if (word === 'preferences') return (await import('./preferences.js')).trustPreferences(context);
  if (word === 'config') return (await import('./config.js')).trustConfig(context);
  if (word === 'autopilot') return (await import('./autopilot.js')).trustAutopilot(context);
  const { findForeignRun, trustRun } = await import('./run.js');
  const run = await findForeignRun(context, word);
  return run === null ? trustRecipe(context, word) : trustRun(context, run);
}

/**
 * `trust <recipe>`: asks the person to let this version of a recipe run its commands and, in this clone, to let plans
 * start commands unasked as the recipe allows.
 * @throws DevCliError `TERMINAL_REQUIRED`, `UNKNOWN_RECIPE`, `RECIPE_INVALID`; `RECIPE_UNTRUSTED` for any answer except
 * yes
 */
async function trustRecipe(context: Context, name: string): Promise<Answer> {
  const captured = requireRecipe(context.library, name);
  const argvs = listAllExternalCommands(captured);
  const commands = argvs.map(quoteCommand);
  const widens = listWidening(captured);
  const shared = findSharedFile(captured);
  const whose = shared === null ? '' : `${shared} `;
  const shown = [
    ...(argvs.length === 0 ? [] : [`The recipe "${name}" ${whose}runs on this machine:`]),
    ...argvs.flatMap((argv) => renderCommandLines(argv)).map((line) => `  ${line}`),
    ...(widens.length === 0
      ? []
      : [`The recipe "${name}" ${whose}lets the commands of a plan start here without a question:`]),
    ...widens.map((line) => `  ${line}`),
  ];
  const answer = { command: 'trust', input: { recipe: name } };
  requireTerminal(context, answer);
  const isNew = commands.length > 0 && !isTrusted(context.trustDirectory, captured.digest);
  const asks = isNew || (widens.length > 0 && !isWideningTrusted(context, captured));
  if (asks) {
    const typed = await context.ask([...shown, 'Trust it in this version? y or n: '].join('\n'));
    if (!/^y(es)?$/i.test(typed)) {
      throw new DevCliError('RECIPE_UNTRUSTED', `"${name}" was not trusted.`, { fix: 'Nothing changed.', answer });
    }
    grantTrust(context.trustDirectory, captured.digest);
    if (widens.length > 0) grantTrust(context.trustDirectory, computeCloneDigest(context, 'recipe', captured.digest));
  }
  return {
    exit: 0,
    json: { ok: true, recipe: name, digest: captured.digest, commands, ...(widens.length === 0 ? {} : { widens }) },
    text: () => {
      if (shown.length === 0)
        return `${name} runs no external commands and extends no permissions; there is nothing to trust.`;
      // A person who was just asked has already seen the list.
      if (!asks) return [`${name} is trusted in this version:`, ...shown].join('\n');
      return widens.length === 0
        ? `${name} may now run these commands, in this version.`
        : `${name} is trusted in this version, in this clone.`;
    },
  };
}

/**
 * Renders a command in one line, quoted for a shell so that the reader sees where each argument ends. An argument with
 * line breaks is quoted as JSON: a list of commands shows each line break as a space, which would change the argument.
 */
function quoteCommand(argv: string[]): string {
  return argv.map((word) => (/[\n\r]/.test(word) ? JSON.stringify(word) : quoteForShell(word))).join(' ');
}
