import { readStored } from '../../documents/stored.js';
import outline from '../../generated/memory-book-outline.js';
import type { Codec } from '../../store/store.js';
import { BOOK_VERSION } from './book.js';
import type { Book } from './book-schema.js';

/** Parses the book; if it is invalid, it is rebuilt from the journal (storage.md, Recovery). */
export const bookCodec: Codec<Book> = {
  parse: (text) => readStored(text, { outline, version: BOOK_VERSION, what: 'The memory in .dev/memory' }),
};
