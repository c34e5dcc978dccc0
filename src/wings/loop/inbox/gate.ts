import type { Answer } from '../../../base/answer.js';
import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import { requireTerminal } from '../../../protocol/trust/person.js';
import { readCapturedRecipe } from '../../../run/captured-recipe.js';
import type { Context } from '../../../run/context.js';
import type { LoopCall, LoopPorts } from '../site.js';
import { refuseAnswer } from './answers.js';
import type { InboxItemView } from './items.js';

/** Ids of choices that stop a run, for gates that no recipe defines. */
const STOPS = ['stop', 'halt', 'abort', 'reject', 'fail'];

/**
 * Has the person at the terminal answer a gate, with a preselected choice.
 * @param given.choice the id of the choice. If null: for an approval, the choice with which the run goes on; for a
 * rejection, the one that stops it
 * @throws DevCliError `TERMINAL_REQUIRED`, `INBOX_REFUSED`, and as `approve`
 */
export async function answerGate(
  askAtGate: LoopPorts['askAtGate'],
  context: Context,
  { inbox_id: id, run }: Pick<InboxItemView, 'inbox_id' | 'run'>,
  given: { action: 'approve' | 'reject'; choice: string | null; note: string | null },
  call: LoopCall,
): Promise<Answer> {
  const name = run ?? '';
  requireTerminal(context, { command: 'approve', input: { name } }, name);
  const choice = given.choice ?? (await findChoice(context, name, given.action, id));
  const input = { name, choice, ...omitUndefined({ note: given.note ?? undefined }) };
  return askAtGate(context, input, call).catch((error: unknown) => {
    if (!(error instanceof DevCliError) || error.code !== 'STALE_ACTION') throw error;
    throw refuseAnswer('already_answered', id, 'the gate has been answered in the meantime');
  });
}

async function findChoice(context: Context, run: string, action: 'approve' | 'reject', id: string): Promise<string> {
  const head = await context.store.read(run);
  const asked = head.snapshot?.pendingAction;
  if (asked?.action !== 'wait-for-user') throw refuseAnswer('closed', id, 'the gate is no longer waiting');
  const block = readCapturedRecipe(head).recipe.blocks.find((one) => one.id === asked.block);
  const written = block !== undefined && 'choices' in block ? block.choices : [];
  const offered = asked.choices ?? [];
  const findWay = (one: string): string | undefined => written.find((choice) => choice.id === one)?.goto;
  const fits = (one: string, at: number): boolean => {
    if (written.length > 0) return findWay(one) === (action === 'approve' ? 'next' : 'halt');
    return action === 'approve' ? at === 0 : STOPS.includes(one);
  };
  const found = offered.find((one, at) => fits(one.id, at));
  if (found !== undefined) return found.id;
  const names = offered.map((one) => one.id).join(', ');
  const what = action === 'approve' ? 'leads on' : 'stops';
  throw refuseAnswer('no_such_choice', id, `no choice of the gate ${what}; --choice takes ${names}`, {
    run,
    answer: { command: 'approve', input: { name: run } },
  });
}
