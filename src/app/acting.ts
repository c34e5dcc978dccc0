import type { JsonObject } from '../base/json.js';
import { stepComplete } from '../protocol/acknowledge/complete.js';
import type { Handler } from '../protocol/ports.js';
import type { Bindings } from './bindings.js';

const document =
  (command: string): Handler<JsonObject> =>
  async (context, input) =>
    (await import('../protocol/documents.js')).runDocumentCommand(context, command, input);

/** Commands that move a run or change its documents; what an acknowledgement does not need is loaded at its first use. */
export const ACKNOWLEDGING_USE_CASES = {
  // Its own small program has answered already wherever nothing was to be done before.
  next: async (context, { name, ...input }) =>
    (await import('../protocol/questions/next.js')).next(context, name, input),
  'step complete': (context, { name, result, ...input }) => {
    const said = result === undefined ? {} : { result };
    return stepComplete(context, name, { ...input, ...(result === 'fail' ? { fail: true } : said) });
  },
  'step fail': (context, { name, ...input }) => stepComplete(context, name, { ...input, fail: true }),
  'step invalidate': async (context, { name, ...input }) =>
    (await import('../protocol/control/invalidate.js')).stepInvalidate(context, name, input),
  abort: async (context, { name, reason }) =>
    (await import('../protocol/control/abort.js')).abort(context, name, reason),
  hold: async (context, { name, ...input }) => (await import('../protocol/control/hold.js')).hold(context, name, input),
  release: async (context, { name }) => (await import('../protocol/control/hold.js')).release(context, name),
  'step undo': async (context, { name, ...input }) =>
    (await import('../protocol/undo/undo.js')).stepUndo(context, name, input),
  'draft update': document('draft update'),
  'draft show': document('draft show'),
  'draft import': document('draft import'),
  'draft validate': document('draft validate'),
  'draft auto-assume': document('draft auto-assume'),
  'plan template': document('plan template'),
  'plan generate': document('plan generate'),
  'plan validate': document('plan validate'),
  'plan summary': document('plan summary'),
  'plan apply': async (context, { name, ...input }) =>
    (await import('../protocol/plan/apply.js')).applyPlan(context, name, input),
  'analysis save': document('analysis save'),
  cleanup: document('cleanup'),
} satisfies Partial<Bindings>;
