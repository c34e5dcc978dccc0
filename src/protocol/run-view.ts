import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import { type RunView, runView } from '../views/run-view.js';
import { type Asking, capturedOf, movedLine } from './turns.js';

/**
 * A run that was read, as it is told of.
 * @throws DevCliError `STATE_CORRUPT` for a run whose captured recipe cannot be read
 */
export function viewOf(
  { root, reader, clock }: ReadContext,
  head: Head<RunState> & { snapshot: RunState },
  { recompile, planMoved }: Asking,
): RunView {
  const { snapshot: state, files, notices } = head;
  const captured = capturedOf(head, recompile);
  return runView({
    state,
    captured,
    files,
    notices,
    planMoved: movedLine(head, planMoved),
    root,
    reader,
    now: clock.now(),
  });
}
