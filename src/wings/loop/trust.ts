import { canonicalJson } from '../../base/json.js';
import { isTrusted } from '../../project/trust.js';
import type { ConfigCommands } from '../../protocol/ports.js';
import { computeCloneDigest } from '../../protocol/trust/digests.js';
import type { Context } from '../../run/context.js';
import { CONFIG } from './config.js';
import { type LoopFiles, readLoopFiles } from './files.js';
import { GOALS, listGoals } from './goals.js';

/** Whether the commands of configuration and goals may run here: a person of this clone has seen them (loop-core.md, auto). */

type Commands = Pick<LoopFiles, 'config' | 'goals'>;

/** Lists every command that working off the goals may start, each with what it is, as it is written. */
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

/** The digest of these commands in this clone, for `--trust` and for what is kept. */
export function computeConfigDigest(context: Pick<Context, 'root' | 'store'>, files: Commands): string {
  return computeCloneDigest(context, 'config', canonicalJson(listConfigCommands(files)));
}

/** Whether a person has trusted these commands in this clone. @throws DevCliError `IO` */
export function isConfigTrusted(context: Pick<Context, 'root' | 'store' | 'trustDirectory'>, files: Commands): boolean {
  return isTrusted(context.trustDirectory, computeConfigDigest(context, files));
}

/** What `trust config` shows. @throws DevCliError as `readLoopFiles` */
export function describeConfig(context: Context): ConfigCommands {
  const files = readLoopFiles(context);
  return {
    files: `${CONFIG} and ${GOALS}`,
    commands: listConfigCommands(files),
    digest: computeConfigDigest(context, files),
  };
}
