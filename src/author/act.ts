import { DevCliError } from '../base/errors.js';
import type { DataInput } from '../base/invocation.js';
import { isRecord } from '../base/json.js';
import { needsVerdict } from '../blocks/prompt.js';
import { findPendingJob } from '../jobs/job.js';
import type { ResolvedChoice, SubagentBlock } from '../recipe/resolved.js';
import type { DispatchAction, EngineDispatchAction, PendingAction, TaskView } from '../run/action.js';
import { parseDisplayPath } from '../run/paths.js';
import { findChoices } from '../run/pending-action.js';
import { getSize } from '../run/size.js';
import { getBlock, type Transaction } from '../run/transaction.js';
import { buildValue } from './canned/data.js';
import { buildOutput, endJob, getLogPath, requirePendingJob } from './canned/endings.js';
import { buildPlan } from './canned/plan.js';
import { buildReport, changeReport, listAwaitedWords } from './canned/report.js';
import { buildResult, changeResult } from './canned/results.js';
import { type Fixtures, readSaid } from './fixtures.js';
import { type Rehearsal, type Reply, RUN } from './rehearsal.js';
import type { ScriptStep } from './script-schema.js';

/** What a script does with one action, everything it does not say canned (authoring.md, Scripts). */

/** What is done, apart from what was expected. */
export type Deed = Omit<ScriptStep, 'expect' | 'until' | 'times'>;

/**
 * Does what an agent or a person is said to do, and acknowledges the action.
 * @param deed what it leaves out is done so that the run goes on
 * @throws DevCliError for what the script says and the action does not have: a key of `outputs`, a fixture
 */
export async function act(on: Rehearsal, action: PendingAction, deed: Deed, fixtures: Fixtures): Promise<Reply> {
  if (deed.invalidate !== undefined) return on.invalidate(deed.invalidate);
  refuseUnused(action, deed);
  if (action.action === 'running') return endPending(on, deed);
  const by = deed.person === undefined || deed.person === false ? byDefault(action, deed) : 'person';
  const id = { action: action.actionId };
  if (isBare(deed)) return on.complete(id, by);
  if (action.action === 'engine-dispatch') return answerTasks(on, action, deed, fixtures);
  if (deed.fail !== undefined) return on.complete({ ...id, fail: true, reason: deed.fail }, by);
  const { left, puts } = splitOutputs(action, deed, fixtures);
  for (const [path, text] of puts) on.put(path, text);
  const tx = await on.look();
  const choices = findChoices(action);
  if (choices !== undefined) {
    const chosen = typeof deed.person === 'string' ? deed.person : (deed.choose ?? pickChoice(tx, action, choices));
    const needs = choices.find((choice) => choice.id === chosen)?.reason === 'required';
    const note = deed.note ?? (needs ? 'canned: it is to be otherwise' : undefined);
    const data = await buildData(tx, action, deed, fixtures);
    return on.complete({ ...id, choice: chosen, ...(note === undefined ? {} : { note }), ...data }, by);
  }
  switch (action.action) {
    case 'llm':
    case 'llm-loop':
      return on.complete({ ...id, ...(await buildData(tx, action, deed, fixtures)), ...result(deed) }, by);
    case 'llm+cli':
      putFile(on, tx, action, await buildFile(tx, action, deed, fixtures));
      return on.complete(id, by);
    case 'dispatch-subagents':
      return answerAgents(on, tx, action, deed, left);
    case 'wait-for-user':
      return on.complete(id, by);
  }
}

/** Whether nothing is to be handed in, so that the acknowledgement is refused. */
function isBare({ refuse, ...deed }: Deed): boolean {
  return refuse !== undefined && refuse !== false && Object.keys(deed).length === 0;
}

const result = ({ result }: Deed) => (result === undefined ? {} : { result });

/** Where only a person may choose and the script leaves the choice out, it is canned as a person's. */
function byDefault(action: PendingAction, { choose }: Deed): 'agent' | 'person' {
  const isPersons = action.action === 'wait-for-user' && action.human === 'required';
  return isPersons && choose === undefined ? 'person' : 'agent';
}

const FITTING: Readonly<Record<string, readonly (keyof Deed)[]>> = {
  llm: ['choose', 'data', 'result'],
  'llm-loop': ['choose', 'data', 'result'],
  'llm+cli': ['data'],
  'dispatch-subagents': ['without', 'result'],
  'wait-for-user': ['choose'],
  'engine-dispatch': ['without'],
};

/** A key of the script that this kind of action has no use for is a mistake of its author. */
function refuseUnused(action: PendingAction, deed: Deed): void {
  const known = FITTING[action.action] ?? [];
  const never: readonly (keyof Deed)[] =
    action.action === 'running' ? ['outputs', 'fail', 'refuse', 'person', 'note'] : [];
  for (const key of ['choose', 'data', 'result', 'without', ...never] as const) {
    if (deed[key] === undefined || known.includes(key)) continue;
    throw fault(key, `\`${key}\` does not fit: ${action.block} is asked by ${action.action}.`);
  }
  const choices = findChoices(action)?.map(({ id }) => id);
  for (const key of ['choose', 'person'] as const) {
    const word = deed[key];
    if (typeof word !== 'string' || choices?.includes(word) === true) continue;
    const offered = choices === undefined ? 'no choice' : choices.join(', ');
    throw fault(key, `${action.block} does not offer ${JSON.stringify(word)}; it offers ${offered}.`);
  }
  if (deed.command !== undefined && action.action !== 'running')
    throw fault('command', `No command is at work: ${action.block} is asked by ${action.action}.`);
}

/** A mistake in the script. @param place below the step, as a JSON pointer without its first slash */
export function fault(place: string, message: string, fix?: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', message, {
    details: [{ problem: message, pointer: `/${place}` }],
    ...(fix === undefined ? {} : { fix }),
  });
}

async function endPending(on: Rehearsal, { command }: Deed): Promise<Reply> {
  const job = requirePendingJob(findPendingJob(await on.read()));
  if (job.kind === 'command') on.put(getLogPath(job), buildOutput(job, command));
  return on.settle(endJob(job, command));
}

/** The choice that leads on; where none does, the first. */
function pickChoice(tx: Transaction, action: PendingAction, choices: readonly { id: string }[]): string {
  const own: readonly ResolvedChoice[] = listOwnChoices(tx, action.block);
  const onward = choices.find(({ id }) => own.find((choice) => choice.id === id)?.goto === 'next');
  return (onward ?? choices[0])?.id ?? '';
}

function listOwnChoices(tx: Transaction, id: string): readonly ResolvedChoice[] {
  const block = getBlock(tx, id);
  return 'choices' in block ? block.choices : [];
}

/** The paths that a script writes beside what the action promises, and the rest of its outputs. */
function splitOutputs(action: PendingAction, { outputs = {} }: Deed, fixtures: Fixtures) {
  const promised = new Set(listPromised(action).flat());
  const left: Record<string, unknown> = {};
  const puts: [string, string][] = [];
  for (const [key, said] of Object.entries(outputs)) {
    if (promised.has(key)) {
      left[key] = typeof said === 'string' ? readSaid(said, fixtures, `outputs/${key}`) : said;
      continue;
    }
    if (!/[./]/.test(key) || leadsOut(key)) {
      const known = [...promised].join(', ');
      throw fault(
        `outputs/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`,
        `${JSON.stringify(key)} is neither promised by this action nor a path in the run's directory.`,
        known === '' ? undefined : `It promises ${known}.`,
      );
    }
    const text = typeof said === 'string' ? readSaid(said, fixtures, `outputs/${key}`) : JSON.stringify(said);
    puts.push([key, text]);
  }
  return { left, puts };
}

/** Whether a path is none in the run's directory. */
export function leadsOut(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

/** Each thing that an action promises, by all the names that a script may give it. */
function listPromised(action: PendingAction): string[][] {
  if (action.action === 'dispatch-subagents')
    return action.agents.map(({ id, output }) => (output === undefined ? [id] : [id, inRun(output)]));
  if (action.action === 'engine-dispatch') return [...action.tasks, ...action.running].map(listTaskNames);
  return 'data' in action && action.data !== undefined ? [[inRun(action.data.write)]] : [];
}

/** The names of a task: `todo-1/verify`, `verify`, `todo-1`. */
export function listTaskNames({ todoId, substep }: Pick<TaskView, 'todoId' | 'substep'>): string[] {
  return todoId === null ? [substep] : [`${todoId}/${substep}`, substep, todoId];
}

const inRun = (path: string) => path.replace(`.dev/specs/${RUN}/`, '');

async function answerAgents(
  on: Rehearsal,
  tx: Transaction,
  action: DispatchAction,
  deed: Deed,
  said: Readonly<Record<string, unknown>>,
): Promise<Reply> {
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
    const path = parseDisplayPath(tx.place, RUN, output);
    const report = buildReport(id, { verdict: needsVerdict(block, path), words: [...words, `(${action.actionId})`] });
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

/** Has tasks fail that do not deliver, hands in the results of the others, and collects them. */
async function answerTasks(
  on: Rehearsal,
  action: EngineDispatchAction,
  deed: Deed,
  fixtures: Fixtures,
): Promise<Reply> {
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
  let reply: Reply | null = null;
  for (const [task, reason] of failed) {
    reply = await on.complete({ action: task.actionId, fail: true, reason }, 'agent');
    if (!reply.ok) return reply;
  }
  if (reply !== null && failed.length === tasks.length) return reply;
  const now = (await on.read()).pendingAction?.action;
  if (now?.action !== 'engine-dispatch')
    return reply ?? on.complete({ action: action.actionId, collect: true }, 'agent');
  const collected = await on.complete({ action: now.actionId, collect: true }, 'agent');
  return collected.ok ? requireTaken(collected) : collected;
}

/** A result that is not taken stays the agent's task; in a script that is a mistake, or a refusal that was meant. */
function requireTaken(reply: Extract<Reply, { ok: true }>): Reply {
  const { collected } = reply.json as { collected?: { ok: boolean; todoId: string | null; error?: string }[] };
  const refused = collected?.find(({ ok }) => !ok);
  if (refused === undefined) return reply;
  const message = `The result of ${refused.todoId ?? 'the run'} was not taken: ${refused.error ?? 'no reason'}.`;
  return { ok: false, error: new DevCliError('SCHEMA_INVALID', message) };
}

function requireKnown(given: readonly string[], known: readonly string[], key: string, what: string): void {
  const wrong = given.find((name) => !known.includes(name));
  if (wrong === undefined) return;
  throw fault(
    `${key}/${wrong}`,
    `No ${what} of this action is called ${JSON.stringify(wrong)}; it has ${known.join(', ')}.`,
  );
}

type Asking = Extract<PendingAction, { action: 'llm' | 'llm-loop' | 'llm+cli' }>;

/** The data of an acknowledgement: what the script says, else what the action asks for. */
async function buildData(
  tx: Transaction,
  action: PendingAction,
  deed: Deed,
  fixtures: Fixtures,
): Promise<{ data?: DataInput }> {
  if (!('data' in action) || action.data === undefined) {
    if (deed.data !== undefined) throw fault('data', `${action.block} asks for no data.`);
    return {};
  }
  if (action.action === 'llm+cli') return {};
  const { write, form, need = {} } = action.data;
  const name = write;
  const text =
    form === 'sections'
      ? renderSections(deed.data === undefined ? cannedSections(need, action.actionId) : said(deed, fixtures))
      : await buildFile(tx, action, deed, fixtures);
  return { data: { source: 'file', name, text } };
}

const said = ({ data }: Deed, fixtures: Fixtures): unknown =>
  typeof data === 'string' ? readSaid(data, fixtures, 'data') : data;

const cannedSections = (need: Readonly<Record<string, string>>, id: string) =>
  Object.fromEntries(
    Object.keys(need).length === 0
      ? [['decisions', `Canned (${id}).`]]
      : Object.keys(need).map((key) => [key, `Canned ${key} (${id}).`]),
  );

function renderSections(value: unknown): string {
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([id, text]) => `## ${id}\n\n${typeof text === 'string' ? text : JSON.stringify(text)}\n`)
    .join('\n');
}

/** JSON that an action asks for: what the script says, else a plan, a size or what its schema demands. */
async function buildFile(tx: Transaction, action: Asking, deed: Deed, fixtures: Fixtures): Promise<string> {
  const path = action.data === undefined ? '' : inRun(action.data.write);
  const given = deed.data === undefined ? deed.outputs?.[path] : deed.data;
  if (given !== undefined) {
    const value =
      typeof given === 'string'
        ? readSaid(given, fixtures, deed.data === undefined ? `outputs/${path}` : 'data')
        : given;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  // A file that is written anew has to be another one than before.
  return `${JSON.stringify(await buildCanned(tx, action, path))}${' '.repeat(Number(action.actionId.slice(1)))}\n`;
}

async function buildCanned(tx: Transaction, action: Asking, path: string): Promise<unknown> {
  const { schema } = action.data ?? {};
  if (schema === 'size') return { size: tx.state.recipes.at(-1)?.size?.said ?? 'large' };
  if (schema === 'plan-content' || path.endsWith('plan-content.json'))
    return buildPlan(tx.state.goal, getSize(tx.state).value);
  const text = schema === undefined ? null : tx.files.text(parseDisplayPath(tx.place, RUN, schema));
  return text === null ? { canned: true } : buildValue(text, Number(action.actionId.slice(1)));
}

function putFile(
  on: Rehearsal,
  tx: Transaction,
  action: Extract<PendingAction, { action: 'llm+cli' }>,
  text: string,
): void {
  on.put(parseDisplayPath(tx.place, RUN, action.data.write), text);
}
