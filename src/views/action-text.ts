import type { Written } from '../base/invocation.js';
import { ackOf, choicesOf } from '../run/acknowledgements.js';
import type { Action, EngineTaskView } from '../run/action.js';

/** An action for a person: what `--text` prints. */
export function actionText(action: Action, written: Written): string {
  if (action.action === 'done') return doneText(action, written);
  const lines = [`${action.run} ${action.actionId}  ${action.block} (${action.progress}, ${action.action})`];
  lines.push(action.instruction);
  if (action.action === 'wait-for-user') lines.push(action.message);
  if (action.read !== undefined) lines.push(`read: ${action.read.join(', ')}`);
  if (action.action === 'dispatch-subagents') {
    lines.push(
      ...action.agents.map((agent) => `  ${agent.id}: ${agent.promptFile} → ${agent.output ?? '(its reply)'}`),
    );
  }
  if (action.action === 'engine-dispatch') {
    lines.push(...action.tasks.map((task) => taskLine(task)));
    lines.push(...action.running.map((task) => `${taskLine(task)} (handed out ${task.issuedAt ?? 'earlier'})`));
    for (const [todo, kept] of Object.entries(action.blocked ?? {}))
      lines.push(`  ${todo} keeps back ${kept.join(', ')}`);
  }
  if ('data' in action && action.data !== undefined) lines.push(`write: ${action.data.write}`);
  if (action.action === 'running') {
    lines.push(...action.commands.map((command) => `  ${command.run.join(' ')}  (log ${command.log})`));
    lines.push(`poll: ${written(action.poll)}`);
  }
  for (const { id, label, ack } of choicesOf(action) ?? []) {
    lines.push(`  ${id}: ${label}`, ...(ack === undefined ? [] : [`    ${written(ack)}`]));
  }
  if (action.action === 'wait-for-user' && action.answer !== undefined) lines.push(`answer: ${written(action.answer)}`);
  const ack = ackOf(action);
  if (ack !== undefined) lines.push(`ack: ${written(ack)}`);
  return lines.join('\n');
}

function doneText(action: Extract<Action, { action: 'done' }>, written: Written): string {
  const { run, outcome, summary, instruction, artifacts, resume, ruling } = action;
  const lines = [`${run}: ${outcome}`, summary, instruction, ...artifacts.map((path) => `  ${path}`)];
  if (resume !== undefined) lines.push(`reopen: ${written(resume)}`);
  if (ruling !== undefined) lines.push(`with a ruling: ${written(ruling)}`);
  return lines.join('\n');
}

function taskLine({ actionId, todoId, substep, attempt, promptFile, output }: EngineTaskView): string {
  const what = [todoId ?? 'all', substep, ...(attempt > 1 ? [`attempt ${attempt}`] : [])].join(' ');
  return `  ${actionId} ${what}: ${promptFile} → ${output}`;
}
