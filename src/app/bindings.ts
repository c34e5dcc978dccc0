import type { HandlersOf, Ported } from '../protocol/ports.js';
import type { CORE } from '../registry/catalogue.js';
import type { HistoryContext } from '../run/context.js';

/**
 * What each command of the core is bound to. Three tables hold it, so that a call loads only the one it needs; starting.ts
 * must have all that the others lack. `help` and the scripts of `completion` are answered by the front door.
 */
export type Bindings = Omit<HandlersOf<(typeof CORE)['specs']>, 'help' | 'mcp'>;

/** The same for questions: by its type one cannot get hold of anything that writes. */
export type Questions = Omit<HandlersOf<(typeof CORE)['specs'], HistoryContext & Ported>, 'help' | 'mcp'>;
