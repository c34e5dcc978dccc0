import { DevCliError } from '../../base/errors.js';
import { needsVerdict } from '../../recipe/declared.js';
import type { SubagentBlock } from '../../recipe/resolved.js';
import type { DispatchAction, EngineDispatchAction, TaskView } from '../../run/action.js';
import { parseDisplayPath } from '../../run/paths.js';
import { getBlock, type Transaction } from '../../run/transaction.js';
import { buildCannedReport, changeReport, listAwaitedWords } from './canned/report.js';
import { buildResult, changeResult } from './canned/results.js';
import { scriptError } from './fault.js';
import type { Fixtures } from './fixtures.js';
import { listTaskNames, splitOutputs } from './outputs.js';
import { REHEARSAL_RUN, type Rehearsal, type RehearsalReply } from './rehearsal.js';
import type { Deed } from './script-schema.js';

/** Plays the agents of dispatches, in recipes and in executions. */

/** Writes the reports of a dispatch, and acknowledges it. */
export async function answerAgents(
  on: Rehearsal,
  tx: Transaction,
  action: DispatchAction,
  deed: Deed,
  said: Readonly<Record<string, unknown>>,
): Promise<RehearsalReply> {
  const block = getBlock(tx, action.block) as SubagentBlock;
  const { without = {} } = deed;
  requireKnown(
    Object.keys(without),
    action.agents.map(({ id }) => id),
    'without',
    'agent',
  );
  const words = listAwaitedWords(block.exitWhen);
  for (const { id, output } of action.agents) {
    if (output === undefined || Object.hasOwn(without, id)) continue;
    const path = parseDisplayPath(tx.place, REHEARSAL_RUN, output);
    const report = buildCannedReport(id, {
      verdict: needsVerdict(block, path),
      words: [...words, `(${action.actionId})`],
    });
    on.put(path, changeReport(report, said[path] ?? said[id]));
  }
  const silent = action.agents.filter(({ id, output }) => output === undefined && !Object.hasOwn(without, id));
  const given = Object.entries(without);
  return on.complete(
    {
      action: action.actionId,
      ...(silent.length === 0 ? {} : { result: deed.result ?? `Canned: done. ${words.join(' ')}` }),
      ...(given.length === 0
        ? {}
        : { without: given.map(([id]) => id), reason: given.map(([id, why]) => `${id}: ${why}`).join('; ') }),
    },
    'agent',
  );
}

/** Fails the tasks that do not deliver, hands in the results of the others, and collects them. */
export async function answerTasks(
  on: Rehearsal,
  action: EngineDispatchAction,
  deed: Deed,
  fixtures: Fixtures,
): Promise<RehearsalReply> {
  const { left: said, puts } = splitOutputs(action, deed, fixtures);
  for (const [path, text] of puts) on.put(path, text);
  const { without = {}, fail } = deed;
  const tasks = [...action.tasks, ...action.running];
  requireKnown(Object.keys(without), tasks.flatMap(listTaskNames), 'without', 'task');
  const tx = await on.look();
  const failed: [TaskView, string][] = [];
  for (const task of tasks) {
    const names = listTaskNames(task);
    const why = fail ?? names.map((name) => without[name]).find((reason) => reason !== undefined);
    if (why !== undefined) {
      failed.push([task, why]);
      continue;
    }
    const own = names.find((name) => Object.hasOwn(said, name));
    on.put(
      `actions/${task.actionId}/result.json`,
      changeResult(buildResult(tx, task), own === undefined ? undefined : said[own]),
    );
  }
  let reply: RehearsalReply | null = null;
  for (const [task, reason] of failed) {
    reply = await on.complete({ action: task.actionId, fail: true, reason }, 'agent');
    if (!reply.ok) return reply;
  }
  if (reply !== null && failed.length === tasks.length) return reply;
  const now = (await on.read()).pendingAction;
  if (now?.action !== 'engine-dispatch')
    return reply ?? on.complete({ action: action.actionId, collect: true }, 'agent');
  const collected = await on.complete({ action: now.actionId, collect: true }, 'agent');
  return collected.ok ? requireTaken(collected) : collected;
}

/** Turns a rejected result into a refusal: a real agent would correct it, but a script must expect it with `refuse`. */
function requireTaken(reply: Extract<RehearsalReply, { ok: true }>): RehearsalReply {
  const { collected } = reply.json as { collected?: { ok: boolean; todoId: string | null; error?: string }[] };
  const refused = collected?.find(({ ok }) => !ok);
  if (refused === undefined) return reply;
  const message = `The result of ${refused.todoId ?? 'the run'} was not accepted: ${refused.error ?? 'no reason'}.`;
  return { ok: false, error: new DevCliError('SCHEMA_INVALID', message) };
}

function requireKnown(given: readonly string[], known: readonly string[], key: string, what: string): void {
  const wrong = given.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  throw scriptError(
    `${key}/${wrong}`,
    `This action has no ${what} ${JSON.stringify(wrong)}; it has ${known.join(', ')}.`,
  );
}
