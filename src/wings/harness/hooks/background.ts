import type { Ported } from '../../../protocol/ports.js';
import { createRunView } from '../../../protocol/questions/run-view.js';
import { createFormatterFor } from '../../../registry/render.js';
import type { Context } from '../../../run/context.js';
import type { RunHead } from '../../../run/state.js';
import { buildManifest } from '../../../views/manifest.js';

/** What a session is told when it begins, or after a compaction (harness.md, Sessions). */

const LOOP =
  'dev-cli drives this work: do the pending action, then run its ack exactly as printed; the answer brings the next one. Where agents are to be started, run the ack first if they may have delivered already.';

/** The manifest of a run, with the loop in two sentences: a harness may show the skill for context only. */
export function renderManifest(context: Context & Ported, head: RunHead): string {
  const { text } = buildManifest(createRunView(context, head), context.ports.sections, context);
  const [first = '', ...rest] = (text?.(createFormatterFor(undefined)) ?? '').split('\n');
  return [first, LOOP, ...rest].join('\n');
}
