import type { DataInput } from '../base/data.js';
import { stepComplete } from '../protocol/acknowledge/complete.js';
import type { UseCase, UseCases } from './use-case.js';

const document =
  (command: string): UseCase =>
  async (context, input) =>
    (await import('../protocol/documents.js')).documentCommand(context, command, input);

const acknowledgement =
  (fail: boolean): UseCase =>
  (context, { name, data, ...input }) => {
    const failing = fail || input['result'] === 'fail';
    if (failing) delete input['result'];
    return stepComplete(context, name, {
      ...input,
      ...(data === undefined ? {} : { data: data as unknown as DataInput }),
      ...(failing ? { fail: true } : {}),
    });
  };

/** Commands that move a run or change its documents; what an acknowledgement does not need is loaded at its first use. */
export const ACTING: UseCases = {
  'step complete': acknowledgement(false),
  'step fail': acknowledgement(true),
  'step invalidate': async (context, { name, step, note }) => {
    const { stepInvalidate } = await import('../protocol/invalidate.js');
    return stepInvalidate(context, name, { step: String(step), ...(typeof note === 'string' ? { note } : {}) });
  },
  abort: async (context, { name, reason }) =>
    (await import('../protocol/abort.js')).abort(context, name, String(reason)),
  'draft update': document('draft update'),
  'draft show': document('draft show'),
  'draft import': document('draft import'),
  'draft validate': document('draft validate'),
  'draft auto-assume': document('draft auto-assume'),
  'plan template': document('plan template'),
  'plan generate': document('plan generate'),
  'plan validate': document('plan validate'),
  'plan summary': document('plan summary'),
  'analysis save': document('analysis save'),
  cleanup: document('cleanup'),
};
