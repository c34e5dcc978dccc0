import { getSystemCode } from '../../base/errors.js';
import { readNewestFacts, readSeenCommits } from '../../project/facts.js';
import type { Context } from '../../run/context.js';
import { computeContentTree } from '../../work/content.js';
import { readPresent } from '../../work/git.js';
import { type GitOptions, nullIfRefused } from '../../work/git-command.js';
import { readRecentCommits } from '../../work/recent-commits.js';
import { readNewestHandoff } from './ai.js';
import { getDirectory, type Memory, readBook } from './memory.js';
import { buildPicture, type Picture, type PictureSources } from './picture.js';
import { readRuns } from './runs.js';
import { readShownHead } from './text.js';

/** Reads everything that memory shows, without writing anything. */

/** The call for which a picture is built. */
export interface PictureContext {
  context: Context;
  memory: Memory;
  options: GitOptions;
}

/** Reads the current state and builds the picture. @throws DevCliError `IO`, `INTERRUPTED` */
export async function buildCurrentPicture(scene: PictureContext): Promise<Picture> {
  return buildPicture(await gatherSources(scene));
}

/** Reads the sources of a picture. @throws DevCliError `IO`, `INTERRUPTED` */
export async function gatherSources({ context, memory, options }: PictureContext): Promise<PictureSources> {
  const { workTree } = context;
  const { book, warnings } = await readBook(memory);
  const told = readOrWarn('.dev/memory/facts.jsonl', [], () => readNewestFacts(getDirectory(memory)));
  const seen = readOrWarn("dev-cli-commits in git's directory", new Map(), () => readSeenCommits(workTree));
  // In parallel, since git takes most of the time.
  const [present, commits, content, news] = await Promise.all([
    nullIfRefused(readPresent(workTree, options)),
    readRecentCommits(workTree, options, seen.read),
    Object.keys(book.verification).length === 0 ? null : computeContentTree(workTree, options),
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

/** Turns unreadable facts into a warning, so that the rest is still shown. */
function readOrWarn<T>(what: string, none: T, read: () => T): { read: T; warnings: string[] } {
  try {
    return { read: read(), warnings: [] };
  } catch (error) {
    const code = getSystemCode(error);
    if (code === undefined) throw error;
    return { read: none, warnings: [`The facts in ${what} are left out because they cannot be read (${code}).`] };
  }
}
