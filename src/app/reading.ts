import { DevCliError } from '../base/errors.js';
import { use } from '../protocol/control/use.js';
import { check } from '../protocol/questions/check.js';
import { history, journal } from '../protocol/questions/history.js';
import { list } from '../protocol/questions/list.js';
import { manifest } from '../protocol/questions/manifest.js';
import { checkReplay, showReplay } from '../protocol/questions/replay.js';
import { status } from '../protocol/questions/status.js';
import { createRestoredView } from '../run/documents/lost.js';
import type { Bindings, Questions } from './bindings.js';

/** What is asked of runs; what is told of one is told as if nothing of it were lost. */
const QUESTIONS = {
  manifest: (context, { name }) => manifest(createRestoredView(context), name),
  list: (context) => list(context),
  'plan diff': async (context, { name, ...input }) =>
    (await import('../protocol/plan/diff.js')).diffPlans(createRestoredView(context), name, input),
  history: (context, { name, ...input }) => history(context, name, input),
  journal: (context, { name, ...input }) => journal(context, name, input),
  replay: (context, { name, at }) => (at === undefined ? checkReplay(context, name) : showReplay(context, name, at)),
} satisfies Partial<Questions>;

/** Commands that look at runs. */
export const QUERY_USE_CASES = {
  ...QUESTIONS,
  status: async (context, { name, watch, ...input }) =>
    watch === true
      ? (await import('../protocol/questions/watch.js')).watchStatus(createRestoredView(context), name, input)
      : status(createRestoredView(context), name, input),
  use: (context, { name }) => use(context, name),
  check: async (context, { subject, action, ...input }, { cwd }) => {
    if (action !== undefined) {
      return (await import('../protocol/acknowledge/check-action.js')).checkAction(context, subject, {
        action,
        ...input,
      });
    }
    if (subject === undefined) throw new DevCliError('USAGE', 'Say what to check: a file, or a task with --action.');
    return check(createRestoredView(context), subject, cwd);
  },
} satisfies Partial<Bindings>;
