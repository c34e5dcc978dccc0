import { check } from '../protocol/check.js';
import { manifest } from '../protocol/manifest.js';
import { replayCheck } from '../protocol/replay.js';
import { list, status } from '../protocol/status.js';
import { use } from '../protocol/use.js';
import type { UseCases } from './use-case.js';

/** Commands that look at runs. */
export const READING: UseCases = {
  manifest: (context, { name }) => manifest(context, name),
  status: (context, { name }) => status(context, name),
  list: (context) => list(context),
  replay: (context, { name }) => replayCheck(context, name),
  use: (context, { name }) => use(context, String(name)),
  check: (context, { file }, { cwd }) => check(context, String(file), cwd),
};
