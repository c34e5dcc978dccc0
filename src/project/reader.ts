import { readdirSync, realpathSync } from 'node:fs';
import { type FileReader, MAX_DOCUMENT } from '../base/files.js';
import { isMissing, readRegular } from '../store/inside.js';
import { pathError, toIoError } from '../store/io.js';

/** Reads text files on this machine by absolute path, inside the project or not. Follows links (src/base/files.ts). */
export const DISK_READER: FileReader = {
  read(path) {
    let content: Buffer | null;
    try {
      content = readRegular(realpathSync.native(path), MAX_DOCUMENT);
    } catch (error) {
      if (isMissing(error)) return null;
      throw toIoError(error, path, null);
    }
    if (content !== null) return content.toString('utf8');
    const problem = 'it is not a regular file of at most 8 MiB';
    throw pathError(path, null, problem, 'Put a regular file there, then repeat the same call.');
  },

  list(directory) {
    try {
      return readdirSync(directory).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw toIoError(error, directory, null);
    }
  },
};
