// door: seldom

import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { askCommand } from '../jobs/job.js';
import type { ExternalCommand } from '../recipe/resolved.js';
import { listPlaceholders } from '../recipe/template.js';
import type { PendingAction } from '../run/action.js';
import { displayPath } from '../run/paths.js';
import { setPendingAction } from '../run/pending-action.js';
import type { RunningCommand } from '../run/recipe-state.js';
import type { PendingState } from '../run/state.js';
import type { Transaction } from '../run/transaction.js';
import { renderProgress } from './action-parts.js';
import { readBlockValue } from './values/block-values.js';
import { fillPath, fillPlaceholders } from './values/values.js';

/** Starts the external commands of a recipe (protocol.md §4). */

/**
 * Makes an external command the pending `running` action; it is launched after the transaction.
 * @param cause why the command runs, for the journal
 * @param more digests of the block's sections when its own action was issued; needed again when the command ends
 * @returns null, or why the command cannot be built from the values that this run has for its placeholders
 */
export function startCommand(
  tx: Transaction,
  block: string,
  command: ExternalCommand,
  cause: string,
  more: Pick<PendingState, 'sections'> = {},
): string | null {
  const fault = findArgumentFault(tx, command, block);
  if (fault !== null) return fault;
  const argv = command.argv.map((word) => fillPlaceholders(tx, word, block));
  const { shell, timeout } = command;
  begin(tx, { block, argv, shell, cwd: fillPath(tx, command.cwd, block), timeout }, cause, more);
  return null;
}

/** Launches a command a second time, unchanged, as a new pending action. */
export function restartCommand(tx: Transaction, job: RunningCommand): void {
  const { block, argv, shell, cwd, timeout, launches = 1 } = job;
  const { cause = 'command', sections } = tx.state.pendingAction ?? {};
  begin(tx, { block, argv, shell, cwd, timeout, launches: launches + 1 }, cause, omitUndefined({ sections }));
}

type Asked = Pick<RunningCommand, 'block' | 'argv' | 'shell' | 'cwd' | 'timeout' | 'launches'>;

function begin(tx: Transaction, asked: Asked, cause: string, more: Pick<PendingState, 'sections'>): void {
  const { state, place } = tx;
  const { block, argv } = asked;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const directory = `actions/${actionId}`;
  const key = `${state.runId}:${actionId}`;
  const log = displayPath(place, state.name, `${directory}/command.log`);
  const action: PendingAction = {
    run: state.name,
    block,
    actionId,
    action: 'running',
    instruction: 'dev-cli runs this command itself and keeps it alive. Run the poll each time it is printed.',
    commands: [{ id: block, run: [...argv], startedAt: tx.at, log }],
    poll: { command: 'next', input: { name: state.name, wait: tx.pollWait } },
    progress: renderProgress(tx, block),
  };
  setPendingAction(tx, action, {}, cause, more);
  askCommand(tx, { ...asked, key, actionId, directory });
}

/**
 * Explains why the command cannot run with this run's values: a value is unset, looks like an option, or cannot be part
 * of an argument or path. Null if the command can run.
 */
function findArgumentFault(tx: Transaction, { argv, cwd }: ExternalCommand, block: string): string | null {
  for (const [index, word] of [...argv, cwd].entries()) {
    const keys = listPlaceholders(word);
    if (keys.length === 0) continue;
    const unset = keys.find(({ key }) => isUnset(tx, key));
    if (unset !== undefined) return `{${unset.key}} is not set, and the command needs it`;
    const value = fillPlaceholders(tx, word, block);
    if (value.includes('\0')) return `${word} becomes a text with a NUL character, which no command accepts`;
    if (index === argv.length) continue;
    // Text before the value, or an earlier `--`, keeps the program from reading it as an option.
    const isGuarded = keys[0]?.start !== 0 || argv.slice(0, index).includes('--');
    if (value.startsWith('-') && !isGuarded) {
      return `${word} begins with "-" here, so the command would treat it as an option; in the recipe, write \`--\` or text before it`;
    }
  }
  return findPathFault(tx, cwd, block);
}

function isUnset(tx: Transaction, key: string): boolean {
  return key.startsWith('blocks.') && readBlockValue(tx, key.slice('blocks.'.length)) === null;
}

function findPathFault(tx: Transaction, path: string, block: string): string | null {
  try {
    fillPath(tx, path, block);
    return null;
  } catch (error) {
    if (error instanceof DevCliError) return error.message;
    throw error;
  }
}
