import { getSystemCode } from '../../base/errors.js';
import { readFacts, readSeenCommits } from '../../project/facts.js';
import type { Context } from '../../run/context.js';
import { readContent } from '../../work/content.js';
import { readPresent } from '../../work/git.js';
import { type GitOptions, nullIfRefused } from '../../work/git-command.js';
import { readRecentCommits } from '../../work/recent-commits.js';
import { readNewestHandoff } from './ai.js';
import { getDirectory, type Memory, readBook } from './memory.js';
import { buildPicture, type Picture, type Sources } from './picture.js';
import { readRuns } from './runs.js';
import { readShownHead } from './text.js';

/** Reads what memory shows. Nothing is written. */

/** Where a picture is taken from. */
export interface Scene {
  context: Context;
  memory: Memory;
  options: GitOptions;
}

/** Takes the picture of what is there now. @throws DevCliError `IO`, `INTERRUPTED` */
export async function takePicture(scene: Scene): Promise<Picture> {
  return buildPicture(await gather(scene));
}

/** Reads what a picture is made of. @throws DevCliError `IO`, `INTERRUPTED` */
export async function gather({ context, memory, options }: Scene): Promise<Sources> {
  const { workTree } = context;
  const { book, warnings } = await readBook(memory);
  const told = readOrWarn('.dev/memory/facts.jsonl', [], () => readFacts(getDirectory(memory)));
  const seen = readOrWarn("dev-cli-commits in git's directory", new Map(), () => readSeenCommits(workTree));
  // Beside each other: git takes most of the time.
  const [present, commits, content, news] = await Promise.all([
    nullIfRefused(readPresent(workTree, options)),
    readRecentCommits(workTree, options, seen.read),
    Object.keys(book.verification).length === 0 ? null : readContent(workTree, options),
    readRuns(context),
  ]);
  return {
    ...{ ...news, ...commits, book, content, present },
    facts: told.read,
    place: readShownHead(workTree),
    handoff: readNewestHandoff(context),
    warnings: [...warnings, ...told.warnings, ...seen.warnings, ...news.warnings],
  };
}

/** Facts that cannot be read are told, and keep nobody from the rest. */
function readOrWarn<T>(what: string, none: T, read: () => T): { read: T; warnings: string[] } {
  try {
    return { read: read(), warnings: [] };
  } catch (error) {
    const code = getSystemCode(error);
    if (code === undefined) throw error;
    return { read: none, warnings: [`The facts in ${what} are left out: they cannot be read (${code}).`] };
  }
}
