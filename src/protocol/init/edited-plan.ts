import { DevCliError } from '../../base/errors.js';
import { readPlanOnDisk } from '../../blocks/plan-on-disk.js';
import type { Context } from '../../run/context.js';
import { applyPlan } from '../plan/apply.js';

/**
 * Has a person at the terminal take up a plan that was edited, so that it can be executed (living-plan.md, plan apply). For
 * anybody else the refusal stays, with what to run.
 * @param refusal of `init`
 * @throws the refusal, or what `applyPlan` throws; `UNKNOWN_CHOICE` for anything but a yes
 */
export async function takeUpEditedPlan(context: Context, name: string, refusal: unknown): Promise<void> {
  const isEdited = refusal instanceof DevCliError && refusal.code === 'PLAN_EDITED';
  if (!isEdited || context.caller.terminal !== true) throw refusal;
  const call = { command: 'plan apply', input: { name } };
  const shown = await applyPlan(context, name, { dryRun: true }, { call, read: readPlanOnDisk });
  const difference = shown.text?.(({ command }) => `dev-cli ${command}`) ?? '';
  const typed = await context.ask(
    [`The plan of "${name}" was edited:`, '', difference, '', 'Type yes to apply it and carry it out: '].join('\n'),
  );
  if (!/^yes$/i.test(typed)) {
    throw new DevCliError('UNKNOWN_CHOICE', 'The edited plan was not applied; nothing was begun.', {
      run: name,
      fix: ['The files keep the edit. To apply it: ', call],
    });
  }
  await applyPlan(context, name, {});
}
