import { DevCliError } from '../../base/errors.js';
import type { FileFinder } from '../../base/files.js';
import { grantTrust } from '../../project/trust.js';
import type { Library } from '../../recipe/load/library.js';
import { requireRecipe } from '../../recipe/load/load.js';
import type { Context } from '../../run/context.js';
import type { GitOptions } from '../../work/git-command.js';
import { listFilesAt, readFilesAt } from './clone.js';
import { isRecipeTrusted } from './freight-trust.js';

/** A project's recipes at a commit, independent of what the clone has checked out (fleet.md, Trust). */

/** Returns the library with the project's own files read from a commit. @param commit an id */
export function openLibraryAt(
  { library, root }: Pick<Context, 'library' | 'root'>,
  { commit, git }: { commit: string; git: GitOptions },
): Library {
  const there = readFilesAt(root, commit, git);
  const isThere = (path: string): boolean => path.startsWith(`${root}/`);
  const { reader, files } = library;
  const find: FileFinder['find'] = (directory) =>
    listFilesAt(root, directory, { commit, options: git })
      .filter((path) => /\.ya?ml$/.test(path) && !/(?:^|\/)(?:\.|node_modules\/)/.test(path))
      .map((path) => ({ path }))
      .sort((a, b) => a.path.split('/').length - b.path.split('/').length);
  return {
    ...library,
    reader: {
      read: (path) => (isThere(path) ? there : reader).read(path),
      list: (directory) => (isThere(directory) ? there : reader).list(directory),
    },
    ...(files !== undefined && {
      files: () => ({
        ...files(),
        find: (directory) => (isThere(directory) ? find : files().find)(directory),
        real: (path) => (isThere(path) ? path : files().real(path)),
      }),
    }),
  };
}

/**
 * Returns why an attempt's recipe may not begin on this machine; null if it may. A recipe that cannot be loaded passes:
 * it starts nothing, and its attempt reports the error.
 * @param trusted digests
 * @throws DevCliError `GIT_FAILED`, `IO`
 */
export function findUntrusted(
  context: Pick<Context, 'library' | 'trustDirectory'>,
  name: string,
  trusted: ReadonlySet<string>,
): string | null {
  try {
    const captured = requireRecipe(context.library, name);
    if (!isRecipeTrusted(context, captured, trusted))
      return `its recipe ${name} is not trusted here: ${captured.digest}`;
    // When the run begins, only the digests granted in this directory count.
    if (trusted.has(captured.digest)) grantTrust(context.trustDirectory, captured.digest);
    return null;
  } catch (error) {
    if (error instanceof DevCliError && (error.code === 'UNKNOWN_RECIPE' || error.code === 'RECIPE_INVALID'))
      return null;
    throw error;
  }
}
