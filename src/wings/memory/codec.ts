import { DevCliError } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { misfit } from '../../documents/outline.js';
import outline from '../../generated/memory-book-outline.js';
import type { Codec } from '../../store/store.js';
import { BOOK_VERSION } from './book.js';
import type { Book } from './book-schema.js';

/** Reads the book; the journal rebuilds one that does not fit (storage.md, Recovery). */
export const bookCodec: Codec<Book> = {
  parse(text) {
    const stored = parseOrNull(text);
    const version = isRecord(stored) ? stored['schemaVersion'] : undefined;
    if (typeof version === 'number' && version > BOOK_VERSION) {
      throw new DevCliError(
        'STATE_NEWER',
        `The memory in .dev/memory has schema version ${version}; this dev-cli knows ${BOOK_VERSION}.`,
        { fix: 'Update dev-cli to the version that wrote it.' },
      );
    }
    const found = misfit(outline, stored);
    if (found === null) return stored as Book;
    throw new DevCliError(
      'STATE_CORRUPT',
      `The memory does not fit its schema at ${found.at || '/'}: ${found.problem}.`,
    );
  },
};
