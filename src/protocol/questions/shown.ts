import type { Answer } from '../../base/answer.js';
import type { ReadContext } from '../../run/context.js';
import { buildStatus } from '../../views/status.js';
import { FIRST_RUN } from '../find/find-run.js';
import type { WithPorts } from '../ports.js';
import * as plain from './list.js';
import { prepareStatus, readStatus } from './status.js';

// Terminal layouts of `list` and `status`. Only the full program has them, not the small programs that agents call
// (view.md, Width).

/** `list`, with a layout for a person's terminal. */
export async function showRunListForTerminal(context: ReadContext): Promise<Answer> {
  const answer = await plain.showRunList(context);
  const view = { ...answer.json, now: context.clock.now(), first: FIRST_RUN };
  return {
    ...answer,
    lines: async (format, columns) =>
      (await import('../../views/frames/list.js')).layOutList(view, { format, columns }),
  };
}

/**
 * `showStatus`, with a layout for a person's terminal.
 * @param given as for `showStatus`; `input` likewise
 * @throws DevCliError as `showStatus`
 */
export async function showStatusForTerminal(
  context: ReadContext & WithPorts<'sections'>,
  given: unknown,
  input: Parameters<typeof prepareStatus>[2],
): Promise<Answer> {
  const [run, options] = prepareStatus(context, await readStatus(context, given, input), input);
  return {
    exit: 0,
    ...buildStatus(run, options),
    lines: async (format, columns) =>
      (await import('../../views/frames/status.js')).layOutStatus(run, options, { format, columns }),
  };
}
