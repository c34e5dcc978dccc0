import type { CommandGroup } from '../protocol/ports.js';

/** The command groups of further rooms. A room is added here and nowhere else; then `npm run generate` and `npm run docs`. */
export const WINGS: readonly CommandGroup[] = [];
