import { DevCliError } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import { requireInside } from '../../project/own-places.js';
import { parseYaml } from '../../recipe/source/yaml.js';
import type { Context } from '../../run/context.js';
import { CONFIG, checkConfig, type LoopConfig } from './config.js';
import { checkGoals, GOALS, type LoopGoal } from './goals.js';

/** Maximum characters of one of the loop's files, the same limit as in memory; enough for hundreds of goals. */
const MAX_LENGTH = 256 * 1024;

/** The files with which people direct the loop. */
export interface LoopFiles {
  config: LoopConfig;
  /** The goals in the order of the file, each with its children. */
  goals: LoopGoal[];
  /** Warnings about parts that are ignored, each with its place. */
  warnings: string[];
  configText: string;
}

/**
 * Reads a project's configuration and goals (loop-core.md, Files).
 * @throws DevCliError `NO_PROJECT`; `SCHEMA_INVALID` with all faults of both; `IO`
 */
export function readLoopFiles({ root, reader }: Pick<Context, 'root' | 'reader'>): LoopFiles {
  for (const path of [CONFIG, GOALS]) requireInside(root, path);
  return readLoopTexts(root, reader);
}

/**
 * Reads the same as `readLoopFiles`, with a reader that need not read from a disk.
 * @param root the directory with which the paths that `reader` gets begin
 * @throws DevCliError as `readLoopFiles`
 */
export function readLoopTexts(root: string, reader: Pick<FileReader, 'read'>): LoopFiles {
  const [configText, goalsText] = [reader.read(`${root}/${CONFIG}`), reader.read(`${root}/${GOALS}`)];
  if (configText === null || goalsText === null) throw noProjectError(root, configText === null ? CONFIG : GOALS);
  const { config, ...ofConfig } = checkConfig(parseYaml(configText, CONFIG, MAX_LENGTH));
  const tools = config === null ? null : Object.keys(config.ai_tools);
  const { goals, ...ofGoals } = checkGoals(parseYaml(goalsText, GOALS, MAX_LENGTH), tools);
  const details = [...ofConfig.problems, ...ofGoals.problems];
  if (config === null || goals === null) {
    const named = [...(ofConfig.problems.length > 0 ? [CONFIG] : []), ...(ofGoals.problems.length > 0 ? [GOALS] : [])];
    throw new DevCliError('SCHEMA_INVALID', `${named.join(' and ')} cannot be used as written.`, {
      details,
      fix: `Fix what \`details\` lists in ${named.join(' and ')}, then repeat the same call.`,
    });
  }
  return { config, goals, warnings: [...ofConfig.warnings, ...ofGoals.warnings], configText };
}

const noProjectError = (root: string, missing: string): DevCliError =>
  new DevCliError('NO_PROJECT', `There is no ${missing} in ${root}.`, {
    fix: ['Create the files of the loop and follow the steps that the answer lists: ', { command: 'init', input: {} }],
  });

/** Requires that the project's files exist, for calls that do not read them. @throws DevCliError `NO_PROJECT`, `IO` */
export function requireLoopFiles({ root, reader }: Pick<Context, 'root' | 'reader'>): void {
  if (reader.read(`${root}/${CONFIG}`) === null) throw noProjectError(root, CONFIG);
}
