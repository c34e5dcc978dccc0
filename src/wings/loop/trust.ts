import { canonicalJson } from '../../base/json.js';
import { isTrusted } from '../../project/trust.js';
import type { ConfigCommands } from '../../protocol/ports.js';
import { computeCloneDigest } from '../../protocol/trust/digests.js';
import type { Context } from '../../run/context.js';
import { CONFIG } from './config.js';
import { type LoopFiles, readLoopFiles } from './files.js';
import { GOALS, listGoals } from './goals.js';

/**
 * Trust in the commands of configuration and goals: a person must have seen them in this clone before they run
 * (loop-core.md, auto).
 */

type Commands = Pick<LoopFiles, 'config' | 'goals'>;

/** Lists verbatim every command that may be started to work on the goals, each with its origin. */
export function listConfigCommands({ config, goals }: Commands): string[] {
  const tools = Object.entries(config.ai_tools).map(([name, line]) => `ai_tools.${name}: ${line}`);
  const acceptance = listGoals(goals).flatMap(({ id, acceptance }) =>
    acceptance.flatMap((one) => (typeof one === 'string' ? [] : [`acceptance of ${id}: ${one.run}`])),
  );
  return [
    `test_command: ${config.test_command}`,
    `ai_tool: ${config.ai_tool}`,
    ...tools,
    ...config.worktree_setup.map((line) => `worktree_setup: ${line}`),
    ...acceptance,
  ];
}

/** Returns the digest of these commands in this clone, for `--trust` and for the stored trust. */
export function computeConfigDigest(context: Pick<Context, 'root' | 'store'>, files: Commands): string {
  return computeCloneDigest(context, 'config', canonicalJson(listConfigCommands(files)));
}

/** Returns whether a person trusted these commands in this clone. @throws DevCliError `IO` */
export function isConfigTrusted(context: Pick<Context, 'root' | 'store' | 'trustDirectory'>, files: Commands): boolean {
  return isTrusted(context.trustDirectory, computeConfigDigest(context, files));
}

/** Collects the commands and the digest that `trust config` shows. @throws DevCliError as `readLoopFiles` */
export function describeConfig(context: Context): ConfigCommands {
  const files = readLoopFiles(context);
  return {
    files: `${CONFIG} and ${GOALS}`,
    commands: listConfigCommands(files),
    digest: computeConfigDigest(context, files),
  };
}
