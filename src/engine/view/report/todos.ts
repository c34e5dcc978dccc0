import type { RunEngine } from '../../../run/engine.js';
import type { TodoState } from '../../../run/engine-rows.js';
import { groupBlockedTodos } from '../../core/scheduler.js';

/** What the report tells of the todos themselves: those that are done, and those that failed. */

export function renderDoneTodo(
  { summaries }: RunEngine,
  { id, title, attempt, retries, commit, parent }: TodoState,
): string {
  if (attempt === 0) return `${id}: ${title} (not by this run: its box was ticked before)`;
  const notes = [
    ...(retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
    ...(parent == null ? [] : [`added for ${parent}`]),
    ...(commit === undefined ? [] : [commit.slice(0, 7)]),
  ];
  const said = summaries[id];
  return `${id}: ${title}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}${said === undefined ? '' : `; self-reported: ${said}`}`;
}

export function renderFailedTodos(engine: RunEngine, rows: readonly TodoState[]): string[] {
  const blocked = groupBlockedTodos(engine);
  return [
    ...(engine.why === undefined ? [] : [engine.why]),
    ...rows
      .filter(({ status }) => status === 'failed')
      .map(({ id, why, retries }) => {
        const back = blocked[id] ?? [];
        const kept =
          back.length === 0
            ? ''
            : `; keeps back ${back.slice(0, 10).join(', ')}${back.length > 10 ? ` and ${back.length - 10} more` : ''}`;
        return `${id}: ${why ?? 'failed'}${retries > 0 ? ` (after ${retries} retries)` : ''}${kept}`;
      }),
  ];
}
