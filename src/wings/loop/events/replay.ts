import type { Answer } from '../../../base/answer.js';
import { canonicalJson, type Json } from '../../../base/json.js';
import type { Context } from '../../../run/context.js';
import { openLoopBackend } from '../backend.js';
import { openGoalViews } from '../core/goal-views.js';
import { openInbox } from '../core/inbox.js';
import { requireLoopFiles } from '../files.js';
import { scanLog } from '../log.js';
import type { LoopCall, LoopPorts } from '../site.js';
import { writeFolded } from './write.js';

const GOAL_VIEWS = '.ai/state/goal_views.yaml';
const OPERATOR_INBOX = '.ai/state/operator_inbox.yaml';

/**
 * `events replay` (loop-operations.md, The log): computes the views from the log. The same log gives the same bytes.
 * @param write whether to write them to `.ai/state/`
 * @throws DevCliError `NO_PROJECT`, `LOCKED`, `IO`
 */
export async function replayEvents(
  ports: Pick<LoopPorts, 'openFleet'>,
  context: Context,
  write: boolean,
  call: LoopCall,
): Promise<Answer> {
  requireLoopFiles(context);
  await openLoopBackend(ports, context, call);
  const folds = [openGoalViews(), openInbox()] as const;
  const { total, duplicates, skipped } = scanLog(context, (event) => {
    for (const fold of folds) fold.take(event);
  });
  const [views, items] = [folds[0].list(), folds[1].list()];
  if (write) {
    const goals = views.map(([goal, view]) => `  ${JSON.stringify(goal)}:\n${renderMap('    ', { ...view })}`);
    const rows = items.map((item) => renderMap('    ', { ...item }).replace('    ', '  - '));
    await writeFolded(context, [
      { path: GOAL_VIEWS, content: renderDocument('goals', goals, '{}') },
      { path: OPERATOR_INBOX, content: renderDocument('items', rows, '[]') },
    ]);
  }
  const json = {
    ok: true,
    ...{ total_events: total, unique_events: total - duplicates, duplicate_events: duplicates, skipped },
    ...{ goal_count: views.length, inbox_items: items.length },
    ...{ goal_views_path: GOAL_VIEWS, operator_inbox_path: OPERATOR_INBOX, write_snapshots: write },
  };
  const text = () =>
    [
      `Events: ${total}, of which ${duplicates} came again; lines skipped: ${skipped}.`,
      `Goals: ${views.length}. Inbox items: ${items.length}, open: ${items.filter(({ resolved }) => !resolved).length}.`,
      ...(write ? [`written  ${GOAL_VIEWS}`, `written  ${OPERATOR_INBOX}`] : []),
    ].join('\n');
  return { exit: 0, json, text };
}

const renderDocument = (key: string, parts: readonly string[], none: string): string =>
  parts.length === 0 ? `${key}: ${none}\n` : `${key}:\n${parts.join('')}`;

/**
 * Writes scalars as JSON, which is also YAML, so that no reader takes a text such as `no`, a time or a number for
 * another type.
 */
function renderMap(indent: string, map: Readonly<Record<string, Json>>): string {
  const keys = Object.keys(map).sort();
  return keys.map((key) => `${indent}${key}: ${canonicalJson(map[key])}\n`).join('');
}
