import { join, relative } from 'node:path';
import { formatInstant } from '../../base/clock.js';
import { DevCliError } from '../../base/errors.js';
import { readGitHead } from '../../project/git-head.js';
import { listAncestors } from '../../project/root.js';
import type { Context } from '../../run/context.js';
import { executeGit, nullIfRefused } from '../../work/git-command.js';
import { INSTRUCTION_FILES } from './core/instructions.js';
import type { SessionPromptFacts } from './core/prompt.js';

/** Reads the facts about a session's place for its prompt (runtime.md, Prompt), once per call. */
export async function readSurroundings(
  { workTree, clock, reader, signal }: Pick<Context, 'workTree' | 'clock' | 'reader' | 'signal'>,
  cwd: string,
): Promise<Omit<SessionPromptFacts, 'told'>> {
  const { top, passed } = listAncestors(cwd);
  const status =
    top === null
      ? null
      : await nullIfRefused(executeGit(workTree, ['status', '--short', '--branch'], { signal, timeoutSeconds: 20 }));
  const directories = top === null ? [cwd] : passed.slice(0, passed.indexOf(top) + 1);
  return {
    workTree,
    branch: readGitHead(workTree).branch,
    date: formatInstant(clock.now()).slice(0, 10),
    platform: process.platform,
    status: status?.toString('utf8') ?? null,
    instructions: directories.reverse().flatMap((directory) =>
      INSTRUCTION_FILES.flatMap((name) => {
        const text = readIfReadable(reader, join(directory, name));
        return text === null ? [] : [{ path: relative(top ?? cwd, join(directory, name)), text }];
      }),
    ),
  };
}

function readIfReadable(reader: Context['reader'], path: string): string | null {
  try {
    return reader.read(path);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'IO') return null;
    throw error;
  }
}
