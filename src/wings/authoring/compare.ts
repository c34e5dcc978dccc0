import type { Action } from '../../run/action.js';
import { listTaskNames } from './outputs.js';
import type { ExpectedAction, ExpectedEnd } from './script-schema.js';

/** A key of `expect` that the action does not match. */
interface Difference {
  key: string;
  expected: string;
  is: string;
}

/**
 * Lists the differences between an action and the expected one.
 * @param phase the current phase of a workflow; null outside a workflow
 */
export function listDifferences(expected: ExpectedAction, action: Action, phase: string | null): Difference[] {
  const wrong: Difference[] = [];
  const compare = (key: string, wanted: string | number | undefined, is: string | number) => {
    if (wanted !== undefined && wanted !== is) wrong.push({ key, expected: String(wanted), is: String(is) });
  };
  const { kind, block } =
    action.action === 'done' ? { kind: 'done', block: 'the end' } : { kind: action.action, block: action.block };
  compare('block', expected.block, block);
  compare('action', expected.action, kind);
  compare('phase', expected.phase, phase ?? 'none');
  if (expected.round !== undefined) compare('round', expected.round, ('round' in action && action.round) || 1);
  const lists = {
    agents: listWorkers(action),
    choices: 'choices' in action ? (action.choices ?? []).map(({ id }) => id) : [],
  };
  for (const key of ['agents', 'choices'] as const) {
    const wanted = expected[key];
    if (wanted === undefined) continue;
    const show = (list: readonly string[]) => (key === 'agents' ? [...list].sort() : list).join(', ') || 'none';
    compare(key, show(wanted), show(lists[key]));
  }
  const read = 'read' in action ? (action.read ?? []) : [];
  for (const path of expected.reads ?? []) {
    if (!read.some((one) => one === path || one.endsWith(`/${path}`))) {
      wrong.push({ key: 'reads', expected: path, is: read.join(', ') || 'none' });
    }
  }
  return wrong;
}

/** Lists the differences between a run's end and the expected one. @param isThere whether the run has a file */
export function listEndDifferences(
  { outcome, says, files = [], missing = [] }: ExpectedEnd,
  came: Extract<Action, { action: 'done' }>,
  isThere: (path: string) => boolean,
): { key: (string | number)[]; message: string }[] {
  const wrong: { key: (string | number)[]; message: string }[] = [];
  const find = (key: (string | number)[], message: string) =>
    wrong.push({ key, message: `\`${key[0]}\`: expected ${message}.` });
  if (outcome !== undefined && outcome !== came.outcome)
    find(['outcome'], `${outcome}, got ${came.outcome}: ${came.summary}`);
  if (says !== undefined && !came.summary.includes(says))
    find(['says'], `${JSON.stringify(says)}, got ${JSON.stringify(came.summary)}`);
  for (const [index, path] of files.entries())
    if (!isThere(path)) find(['files', index], `${path} to exist, but it does not`);
  for (const [index, path] of missing.entries())
    if (isThere(path)) find(['missing', index], `${path} not to exist, but it does`);
  return wrong;
}

function listWorkers(action: Action): string[] {
  if (action.action === 'dispatch-subagents') return action.agents.map(({ id }) => id);
  if (action.action !== 'engine-dispatch') return [];
  return action.tasks.map((task) => listTaskNames(task)[0] ?? '');
}
