import { needsVerdict } from '../../recipe/declared.js';
import type { SubagentBlock } from '../../recipe/resolved.js';
import type { PendingAction } from '../../run/action.js';
import { parseDisplayPath } from '../../run/paths.js';
import { findChoices } from '../../run/pending-action.js';
import { getBlock } from '../../run/transaction.js';
import { listTaskNames } from './outputs.js';
import { REHEARSAL_RUN, type Rehearsal } from './rehearsal.js';
import type { ScriptStep } from './script-schema.js';

/** A possible outcome of an action, by an agent, a person or a command. */
export interface PossibleOutcome {
  /** The outcome in a few words, for a menu. */
  label: string;
  step: ScriptStep;
}

const WHY = 'it cannot be done';

/** Lists the possible outcomes of an action; the first is a success. */
export async function listOutcomes(action: PendingAction, on: Rehearsal): Promise<PossibleOutcome[]> {
  if (action.action === 'running') {
    return [
      { label: 'the command succeeds', step: {} },
      { label: 'it fails', step: { command: { exit: 1 } } },
    ];
  }
  const fails: PossibleOutcome = { label: 'step fail', step: { fail: WHY } };
  const nothing: PossibleOutcome = { label: 'acknowledged with nothing done', step: { refuse: true } };
  const choices = findChoices(action);
  if (choices !== undefined) {
    const isPersons = action.action === 'wait-for-user' && action.human === 'required';
    const chosen = choices.map(({ id, label }) => ({
      label: `${id}: ${label}`,
      step: isPersons ? { person: id } : { choose: id },
    }));
    return [{ label: 'what leads on', step: {} }, ...chosen, ...(isPersons ? [] : [fails])];
  }
  const done: PossibleOutcome = { label: 'done', step: {} };
  if (action.action === 'engine-dispatch') {
    const bad: Readonly<Record<string, string>> = { worker: 'BLOCKED', codeReview: 'NEEDS_FIXES' };
    return [
      done,
      ...action.tasks.flatMap((task) => {
        const [name = ''] = listTaskNames(task);
        const verdict = bad[task.substep] ?? 'FAILED';
        return [
          { label: `${name}: ${verdict}`, step: { outputs: { [name]: verdict } } },
          { label: `${name}: gives up`, step: { without: { [name]: WHY } } },
        ];
      }),
    ];
  }
  if (action.action !== 'dispatch-subagents') return [done, fails, nothing];
  const tx = await on.look();
  const block = getBlock(tx, action.block) as SubagentBlock;
  const rejects = action.agents.flatMap(({ id, output }) =>
    output !== undefined && needsVerdict(block, parseDisplayPath(tx.place, REHEARSAL_RUN, output))
      ? [{ label: `${id}: REJECT`, step: { outputs: { [id]: 'REJECT' } } }]
      : [],
  );
  const without = action.agents.map(({ id }) => ({ label: `without ${id}`, step: { without: { [id]: WHY } } }));
  return [done, ...rejects, ...without, fails, nothing];
}
