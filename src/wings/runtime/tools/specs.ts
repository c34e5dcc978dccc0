import type { JsonObject } from '../../../base/json.js';
import type { PermissionLevel } from './tool.js';

/** Descriptions and schemas of the tools (runtime.md, Tools). Part of every request, so each word costs tokens. */

/**
 * Limits, in this order: bytes of a file; lines per read; files listed; lines or files shown by default; milliseconds
 * of a command by default, and at most.
 */
export const FILE_BYTES = 10 * 1024 * 1024;
export const READ_LINES = 2_000;
export const GLOB_MOST = 100;
export const GREP_MOST = 250;
export const BASH_MS = 120_000;
const BASH_LONGEST_MS = 600_000;

type Keys = Record<string, JsonObject>;

const text = (description: string): JsonObject => ({ type: 'string', description });
const flag = (description: string): JsonObject => ({ type: 'boolean', description });
const whole = (minimum: number, description: string, maximum?: number): JsonObject =>
  maximum === undefined
    ? { type: 'integer', minimum, description }
    : { type: 'integer', minimum, maximum, description };
const lines = (where: string) => whole(0, `Lines shown ${where} a match. For content.`, 100);
const PATH = text('Absolute, or relative to the work tree.');

/**
 * @param alias the name of the same tool in harnesses
 * @param needed how many of the first keys are required
 * @returns its parts, with a schema that allows no other keys and has only keywords that all providers know
 */
const spec = (alias: string, needs: PermissionLevel, description: string, needed: number, properties: Keys) => {
  const required = Object.keys(properties).slice(0, needed);
  const schema: JsonObject = { type: 'object', additionalProperties: false, required, properties };
  return { alias, needs, description, schema };
};

/** The tools, by name. In the sandbox, `bash` needs less permission than is stated here. */
export const SPECS = {
  read_file: spec(
    'Read',
    'read-only',
    'Read lines of a text file. The answer begins with the path and the line numbers.',
    1,
    {
      path: PATH,
      offset: whole(0, 'The first line, counted from 0.'),
      limit: whole(1, `How many lines; ${READ_LINES} by default.`, READ_LINES),
    },
  ),
  glob_search: spec('Glob', 'read-only', 'Find files by their paths. Files that git ignores are left out.', 1, {
    pattern: text(`Such as src/**/*.{ts,tsx}. At most ${GLOB_MOST} files are listed.`),
    path: text('The directory to search; the work tree by default.'),
  }),
  grep_search: spec('Grep', 'read-only', 'Find lines in text files. Files that git ignores are left out.', 1, {
    pattern: text('A Perl regular expression for single lines.'),
    path: text('A file or directory to search; the work tree by default.'),
    glob: text('Only files that match, such as *.ts.'),
    output_mode: {
      type: 'string',
      enum: ['files_with_matches', 'content', 'count'],
      description: 'The first by default.',
    },
    '-i': flag('Ignores case.'),
    '-n': flag('Shows line numbers; true by default. For content.'),
    '-A': lines('after'),
    '-B': lines('before'),
    '-C': lines('around'),
    head_limit: whole(1, `Lines or files shown at most; ${GREP_MOST} by default.`),
  }),
  write_file: spec('Write', 'workspace-write', 'Write a whole file. To change a part of one, use edit_file.', 2, {
    path: PATH,
    content: text('All of it.'),
  }),
  edit_file: spec('Edit', 'workspace-write', 'Replace text in a file that you have read.', 3, {
    path: PATH,
    old_string: text('The exact present text, with enough context to occur only once.'),
    new_string: text('The replacement.'),
    replace_all: flag('Replaces every occurrence.'),
  }),
  bash: spec(
    'Bash',
    'danger-full-access',
    'Run a command in the work tree. It has no input; what it starts ends with it.',
    1,
    {
      command: text('For bash.'),
      timeout: whole(1, `Milliseconds; ${BASH_MS} by default.`, BASH_LONGEST_MS),
      description: text('What it does, in a few words.'),
    },
  ),
};
