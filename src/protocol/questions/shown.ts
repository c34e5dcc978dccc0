import type { Answer } from '../../base/answer.js';
import type { ReadContext } from '../../run/context.js';
import { buildStatus } from '../../views/status.js';
import { FIRST_RUN } from '../find/find-run.js';
import type { Ported } from '../ports.js';
import * as plain from './list.js';
import { prepareStatus, readStatus } from './status.js';

// Questions as the whole program answers them: the programs that agents call have no layout for a terminal (view.md, Width).

/** `list` that can also be laid out for a person's terminal. */
export async function list(context: ReadContext): Promise<Answer> {
  const answer = await plain.list(context);
  const view = { ...answer.json, now: context.clock.now(), first: FIRST_RUN };
  return {
    ...answer,
    lines: async (format, columns) =>
      (await import('../../views/frames/list.js')).layOutList(view, { format, columns }),
  };
}

/**
 * `status` that can also be laid out for a person's terminal.
 * @param given as `status` has it, like `input`
 * @throws DevCliError as `status` does
 */
export async function status(
  context: ReadContext & Ported<'sections'>,
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
