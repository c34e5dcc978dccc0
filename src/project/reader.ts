import { readdirSync, realpathSync } from 'node:fs';
import { type FileReader, MAX_DOCUMENT } from '../base/files.js';
import { isMissing, readRegular } from '../store/inside.js';
import { pathError, withIoErrors } from '../store/io.js';

/** Reads text files of this machine by absolute path, whoever they belong to; links are followed (src/base/files.ts). */
export const DISK_READER: FileReader = {
  read(path) {
    return withIoErrors(path, null, () => {
      const content = unlessMissing(() => readRegular(realpathSync.native(path), MAX_DOCUMENT), undefined);
      if (content === undefined) return null;
      if (content !== null) return content.toString('utf8');
      throw pathError(
        path,
        null,
        'it is no regular file of at most 8 MiB',
        'Put a regular file there, then repeat the same call.',
      );
    });
  },

  list(directory) {
    return withIoErrors(directory, null, () => unlessMissing(() => readdirSync(directory).sort(), []));
  },
};

function unlessMissing<T, N>(read: () => T, nothing: N): T | N {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return nothing;
    throw error;
  }
}
