import { type Static, Type } from '@sinclair/typebox';
import { omitUndefined } from '../../base/defined.js';
import { isPlanGate } from '../declared.js';
import type { GateBlock } from '../resolved.js';
import { textSchema, typeSchema } from '../source/schema-parts.js';
import { askingFields, blockSchema, boundSchema, choices } from '../source/schema-rows.js';
import { type BlockForm, showChoice } from './block-form.js';
import { ROUNDS, resolveAsking, resolveChoice } from './defaults.js';

/** The source form of `wait-for-user`. */
export const gateSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('wait-for-user', 'The run waits for a choice.'),
    message: Type.Optional(textSchema('The question put to the user.', 'Shall this plan be carried out as it stands?')),
    choices: Type.Optional(choices),
    human: Type.Optional(
      Type.Literal('required', { description: 'The choice counts only once a person has answered.' }),
    ),
    approves: Type.Optional(
      Type.Literal('plan', {
        description:
          'The answer approves the plan: an execution asks this question first unless a person has already accepted exactly this plan. Implied where a person is required and the artifact is PLAN.md.',
      }),
    ),
    artifact: Type.Optional(
      textSchema('The file that is judged. Its digest is recorded; a later change makes the choice stale.', 'PLAN.md'),
    ),
    maxRounds: boundSchema('How often a choice may lead back. Default 5.'),
  });

/** `wait-for-user`: the run waits for a choice. */
export const GATE_FORM: BlockForm<Static<ReturnType<typeof gateSource>>, GateBlock> = {
  resolve(block, context) {
    const message = block.message?.trim() ?? 'Should the run continue?';
    return {
      ...resolveAsking(
        block,
        'Put the message to the user, with what they need to judge it. Wait; the choice is theirs.',
        context,
      ),
      asks: 'user',
      kind: 'wait-for-user',
      message,
      choices: (block.choices ?? ['continue']).map(resolveChoice),
      human: block.human === 'required',
      ...omitUndefined({ approves: block.approves, artifact: block.artifact }),
      maxRounds: block.maxRounds ?? ROUNDS,
    };
  },
  show: (block) => ({
    message: block.message,
    ...(block.human ? { human: 'required' } : {}),
    ...(isPlanGate(block) ? { approves: 'plan' } : {}),
    ...omitUndefined({ artifact: block.artifact }),
    choices: block.choices.map(showChoice),
    maxRounds: block.maxRounds,
  }),
  listTexts: ({ message, artifact }) => [message, artifact],
  lint({ report }, index, { approves, human, artifact }) {
    if (approves === undefined || (human && artifact === 'PLAN.md')) return;
    // An execution accepts only a person's answer about PLAN.md as approval of the plan.
    report.error(['blocks', index, 'approves'], '`approves: plan` requires a person and the plan as the artifact.', {
      fix: 'Add `human: required` and `artifact: PLAN.md`.',
    });
  },
};
