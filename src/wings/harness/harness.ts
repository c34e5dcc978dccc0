import type { HarnessId } from '../../generated/harnesses.js';
import type { Harness } from './adapter.js';
import { claude } from './adapters/claude.js';
import { codex } from './adapters/codex.js';
import { gemini } from './adapters/gemini.js';

/**
 * The harnesses that dev-cli knows, one for each file of adapters/. The first one serves as the example in texts that
 * need one.
 */
export const HARNESSES: Readonly<Record<HarnessId, Harness>> = { claude, codex, gemini };
