import { join } from 'node:path';
import { findRepository, git, type Surroundings } from './git-command.js';

/**
 * What HEAD holds of a file, byte for byte; null where it holds none, or there is no repository.
 * @param directory absolute, inside the work tree
 * @param path of the file, relative to `directory`
 * @throws DevCliError `IO`, `INTERRUPTED`, `GIT_FAILED` when git cannot be asked at all
 */
export async function committedContent(directory: string, path: string, around: Surroundings): Promise<Buffer | null> {
  const place = await findRepository(directory, around);
  if (place.kind !== 'repository') return null;
  const fromTop = join(place.prefix.toString('utf8'), path);
  const listed = await git(directory, ['ls-files', '--full-name', '-z', '--', path], around);
  if (listed.toString('utf8') !== `${fromTop}\0`) return null;
  try {
    return await git(directory, ['cat-file', 'blob', `HEAD:${fromTop}`], around);
  } catch {
    // Added and never committed, or no commit yet.
    return null;
  }
}
