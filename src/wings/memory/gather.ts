import { getSystemCode } from '../../base/errors.js';
import { readFacts } from '../../project/facts.js';
import type { Context } from '../../run/context.js';
import { readContent } from '../../work/content.js';
import { readPresent } from '../../work/git.js';
import { type GitOptions, nullIfRefused } from '../../work/git-command.js';
import { readRecentCommits } from '../../work/recent-commits.js';
import { readNewestHandoff } from './ai.js';
import { getDirectory, type Memory, readBook, readShownHead } from './memory.js';
import { buildPicture, type Picture, type Sources } from './picture.js';
import { readRuns } from './runs.js';

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
  const told = readFactsOf(memory);
  // Beside each other: git takes most of the time.
  const [present, commits, content, news] = await Promise.all([
    nullIfRefused(readPresent(workTree, options)),
    readRecentCommits(workTree, options),
    Object.keys(book.verification).length === 0 ? null : readContent(workTree, options),
    readRuns(context),
  ]);
  return {
    ...{ ...news, book, commits, content, present },
    facts: told.facts,
    place: readShownHead(workTree),
    handoff: readNewestHandoff(context),
    warnings: [...warnings, ...told.warnings, ...news.warnings],
  };
}

/** Facts that cannot be read are told, and keep nobody from the rest. */
function readFactsOf(memory: Memory): Pick<Sources, 'facts' | 'warnings'> {
  try {
    return { facts: readFacts(getDirectory(memory)), warnings: [] };
  } catch (error) {
    const code = getSystemCode(error);
    if (code === undefined) throw error;
    return {
      facts: [],
      warnings: [`The facts in .dev/memory/facts.jsonl are left out: they cannot be read (${code}).`],
    };
  }
}
