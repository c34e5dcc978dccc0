import type { HarnessId } from '../../generated/harnesses.js';
import type { Harness } from './adapter.js';
import { claude } from './adapters/claude.js';
import { codex } from './adapters/codex.js';
import { gemini } from './adapters/gemini.js';

/** The harnesses that dev-cli knows: a row for each file of adapters/. The first is the example where one is to be named. */
export const HARNESSES: Readonly<Record<HarnessId, Harness>> = { claude, codex, gemini };
