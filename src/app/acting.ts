import type { DataInput } from '../base/data.js';
import { abort } from '../protocol/abort.js';
import { stepComplete } from '../protocol/complete.js';
import { documentCommand } from '../protocol/documents.js';
import { stepInvalidate } from '../protocol/invalidate.js';
import type { UseCase, UseCases } from './use-case.js';

const document =
  (command: string): UseCase =>
  (context, input) =>
    documentCommand(context, command, input);

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

/** Commands that move a run or change its documents. */
export const ACTING: UseCases = {
  'step complete': acknowledgement(false),
  'step fail': acknowledgement(true),
  'step invalidate': (context, { name, step, note }) =>
    stepInvalidate(context, name, { step: String(step), ...(typeof note === 'string' ? { note } : {}) }),
  abort: (context, { name, reason }) => abort(context, name, String(reason)),
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
