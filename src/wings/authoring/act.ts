import { findPendingJob } from '../../jobs/job.js';
import { findResultReader } from '../../recipe/conditions/result-reader.js';
import type { ResolvedChoice } from '../../recipe/resolved.js';
import type { PendingAction } from '../../run/action.js';
import { parseDisplayPath } from '../../run/paths.js';
import { findChoices } from '../../run/pending-action.js';
import { getBlock, type Transaction } from '../../run/transaction.js';
import { answerAgents, answerTasks } from './act-agents.js';
import { buildData, buildRequestedFile } from './act-data.js';
import { listCannedDocuments } from './canned/documents.js';
import { buildCannedJobEnd, buildOutput, getLogPath, requirePendingJob } from './canned/endings.js';
import { listAwaitedWords } from './canned/report.js';
import { scriptError } from './fault.js';
import type { Fixtures } from './fixtures.js';
import { splitOutputs } from './outputs.js';
import { REHEARSAL_RUN, type Rehearsal, type RehearsalReply } from './rehearsal.js';
import type { Deed } from './script-schema.js';

/** Plays one action as a script says; everything that the script leaves out is canned (authoring.md, Scripts). */

/**
 * Does an agent's, a person's or a command's part as the script says, and acknowledges the action.
 * @param deed the script's part; everything that it leaves out is canned, so that the run can continue
 * @throws DevCliError if the script names something that the action does not have, such as a key of `outputs` or a
 * fixture
 */
export async function performDeed(
  on: Rehearsal,
  action: PendingAction,
  deed: Deed,
  fixtures: Fixtures,
): Promise<RehearsalReply> {
  if (deed.invalidate !== undefined) return on.invalidate(deed.invalidate);
  refuseUnused(action, deed);
  await refuseUnknownChoice(on, action, deed);
  if (action.action === 'running') return endPending(on, action, deed);
  const by = deed.person === undefined || deed.person === false ? byDefault(action, deed) : 'person';
  const id = { action: action.actionId };
  if (isBare(deed)) return on.complete(id, by);
  if (action.action === 'engine-dispatch') return answerTasks(on, action, deed, fixtures);
  if (deed.fail !== undefined) return on.complete({ ...id, fail: true, reason: deed.fail }, by);
  const { left, puts } = splitOutputs(action, deed, fixtures);
  for (const [path, text] of puts) on.put(path, text);
  const tx = await on.look();
  if (deed.refuse === undefined) putDocuments(on, tx, action, 'agent');
  const choices = findChoices(action);
  if (choices !== undefined) {
    const chosen = typeof deed.person === 'string' ? deed.person : (deed.choose ?? pickChoice(tx, action, choices));
    const needs = choices.find((choice) => choice.id === chosen)?.reason === 'required';
    const note = deed.note ?? (needs && !isForLack(deed) ? 'canned: please change it' : undefined);
    const data = await buildData(tx, action, deed, fixtures);
    return on.complete({ ...id, choice: chosen, ...(note === undefined ? {} : { note }), ...data }, by);
  }
  switch (action.action) {
    case 'llm':
    case 'llm-loop':
      return on.complete(
        { ...id, ...(await buildData(tx, action, deed, fixtures)), ...reportResult(tx, action, deed) },
        by,
      );
    case 'llm+cli':
      on.put(
        parseDisplayPath(tx.place, REHEARSAL_RUN, action.data.write),
        await buildRequestedFile(tx, action, deed, fixtures),
      );
      return on.complete({ ...id, ...reportResult(tx, action, deed) }, by);
    case 'dispatch-subagents':
      return answerAgents(on, tx, action, deed, left);
    case 'wait-for-user':
      return on.complete(id, by);
  }
}

/** Returns whether a step contains only an expected refusal: the action is then acknowledged with nothing handed in. */
function isBare({ refuse, ...deed }: Deed): boolean {
  return refuse !== undefined && refuse !== false && Object.keys(deed).length === 0;
}

/** Returns whether a step expects a refusal because something is missing; canned data must not fill that gap. */
function isForLack({ refuse }: Deed): boolean {
  return refuse === true || refuse === 'DATA_MISSING';
}

/** Returns the agent's report: the script's or, if it gives none, one with the words that a condition looks for. */
function reportResult(tx: Transaction, { block }: PendingAction, { result }: Deed): { result?: string } {
  if (result !== undefined) return { result };
  const reader = findResultReader(tx.captured.recipe.blocks, block);
  return reader === undefined ? {} : { result: `Canned: done. ${listAwaitedWords(reader).join(' ')}` };
}

/** Returns who acts: a person if only a person may choose and the script makes no choice, otherwise an agent. */
function byDefault(action: PendingAction, { choose }: Deed): 'agent' | 'person' {
  const isPersons = action.action === 'wait-for-user' && action.human === 'required';
  return isPersons && choose === undefined ? 'person' : 'agent';
}

const FITTING: Readonly<Record<PendingAction['action'], readonly (keyof Deed)[]>> = {
  llm: ['choose', 'data', 'result'],
  'llm-loop': ['choose', 'data', 'result'],
  'llm+cli': ['data', 'result'],
  'dispatch-subagents': ['without', 'result'],
  'wait-for-user': ['choose'],
  'engine-dispatch': ['without'],
  running: [],
};

/** Rejects keys of a step that do not apply to this kind of action: they are mistakes of the script's author. */
function refuseUnused(action: PendingAction, deed: Deed): void {
  const known = FITTING[action.action];
  const never: readonly (keyof Deed)[] =
    action.action === 'running' ? ['outputs', 'fail', 'refuse', 'person', 'note'] : [];
  for (const key of ['choose', 'data', 'result', 'without', ...never] as const) {
    if (deed[key] === undefined || known.includes(key)) continue;
    throw scriptError(key, `\`${key}\` does not fit ${action.block}, whose action is ${action.action}.`);
  }
  if (deed.command !== undefined && action.action !== 'running')
    throw scriptError(
      'command',
      `No command is running: the action of ${action.block} is ${action.action}.`,
      `To continue to a command of the block: \`until: ${action.block}\`.`,
    );
}

/** Rejects a choice that is not offered, unless the block has it and the script expects a refusal. */
async function refuseUnknownChoice(on: Rehearsal, action: PendingAction, deed: Deed): Promise<void> {
  const choices = findChoices(action)?.map(({ id }) => id);
  for (const key of ['choose', 'person'] as const) {
    const word = deed[key];
    if (typeof word !== 'string' || choices?.includes(word) === true) continue;
    const isWanted = deed.refuse !== undefined && deed.refuse !== false && choices !== undefined;
    if (isWanted && listOwnChoices(await on.look(), action.block).some(({ id }) => id === word)) continue;
    const offered = choices === undefined ? 'no choice' : choices.join(', ');
    throw scriptError(key, `${action.block} does not offer ${JSON.stringify(word)}; it offers ${offered}.`);
  }
}

/** Writes the documents that an agent or a command would have written, unless they exist. */
function putDocuments(
  on: Rehearsal,
  tx: Transaction,
  { block, actionId }: PendingAction,
  by: 'agent' | 'command',
): void {
  const { recipe } = tx.captured;
  const found = recipe.blocks.find(({ id }) => id === block);
  if (found === undefined) return;
  for (const path of listCannedDocuments(recipe, found, by))
    if (on.text(path) === null) on.put(path, `Canned ${path} (${actionId}).\n`);
}

async function endPending(on: Rehearsal, action: PendingAction, { command }: Deed): Promise<RehearsalReply> {
  const job = requirePendingJob(findPendingJob(await on.read()));
  if (job.kind === 'command' && (command?.exit ?? 0) === 0) putDocuments(on, await on.look(), action, 'command');
  if (job.kind === 'command') on.put(getLogPath(job), buildOutput(job, command));
  return on.settle(buildCannedJobEnd(job, command));
}

/** Picks the choice that leads to the next block; if there is none, the first. */
function pickChoice(tx: Transaction, action: PendingAction, choices: readonly { id: string }[]): string {
  const own: readonly ResolvedChoice[] = listOwnChoices(tx, action.block);
  const onward = choices.find(({ id }) => own.find((choice) => choice.id === id)?.goto === 'next');
  return (onward ?? choices[0])?.id ?? '';
}

function listOwnChoices(tx: Transaction, id: string): readonly ResolvedChoice[] {
  const block = getBlock(tx, id);
  return 'choices' in block ? block.choices : [];
}
