import { TELLS_WITH_PROMPT } from '../../../generated/harness-events.js';
import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import type { HookAnswer, HookEvent, HookHandler, SubagentUsage, WithPorts } from '../../../protocol/ports.js';
import { createRunView } from '../../../protocol/questions/run-view.js';
import { notePrompt } from '../../../protocol/trust/autopilot.js';
import { createFormatterFor } from '../../../registry/render.js';
import type { Context } from '../../../run/context.js';
import { createRestoredView } from '../../../run/documents/lost.js';
import type { PendingState, RunHead } from '../../../run/state.js';
import { transact } from '../../../run/transact.js';
import { recordEntry } from '../../../run/transaction.js';
import { buildManifest } from '../../../views/manifest.js';
import { judgeCall } from '../guard/judge.js';
import { findBoundRun } from '../guard/judging-run.js';
import { lookAtOutputs } from './outputs.js';
import { isAnsweredQuestion, isPersonsPrompt, recordPersonActivity, renderNudge } from './person.js';
import { bindByCall, bindToActiveRun } from './taking-up.js';

/**
 * Handles the events of a harness (harness.md, Hooks). Handlers keep no state: they record journal entries, or the
 * binding of a session.
 */

type On<Name extends HookEvent['on']> = Extract<HookEvent, { on: Name }>;
type Within = Context & WithPorts;

/**
 * Opens a waiting gate when a person types a prompt. Gemini CLI ignores hook output after a compaction, but keeps
 * context added to the last prompt; so there, the state of the run is added to each prompt of a person.
 */
async function hearPrompt(context: Within, event: On<'user-prompt-submit'>): Promise<HookAnswer | null> {
  if (event.spent !== null) await keepSpent(context, event.session, event.spent);
  if (!isPersonsPrompt(event)) return null;
  notePrompt(context, event.session, event.prompt);
  const heard = await recordPersonActivity(context, event.session, 'a prompt in the bound session');
  const stand = TELLS_WITH_PROMPT[context.caller.harness ?? ''] ? await tellManifest(context, event.session) : null;
  const tell = [heard?.tell, stand?.tell].filter((text) => text !== undefined);
  return tell.length === 0 ? null : { tell: tell.join('\n\n') };
}

async function tellManifest(context: Within, session: string): Promise<HookAnswer | null> {
  const head = await findBoundRun(createRestoredView(context), session);
  return head === null ? null : { tell: renderManifest(context, head) };
}

const LOOP =
  'dev-cli drives this work: do the pending action, then run its ack exactly as printed; the answer brings the next one. Where agents are to be started, run the ack first if they may have delivered already.';

/**
 * Renders the manifest of a run. Adds two sentences on the loop of `next` and `step complete`, because the agent may no
 * longer have the skill that explains it.
 */
function renderManifest(context: Within, head: RunHead): string {
  const { text } = buildManifest(createRunView(context, head), context.ports.sections, context);
  const [first = '', ...rest] = (text?.(createFormatterFor(undefined)) ?? '').split('\n');
  return [first, LOOP, ...rest].join('\n');
}

/**
 * Opens a waiting gate after an answered question, binds the session after a call of dev-cli, and checks promised
 * files.
 */
async function lookAfterTool(context: Within, event: On<'post-tool-use'>): Promise<HookAnswer | null> {
  if (event.spent !== null) await keepSpent(context, event.session, event.spent);
  if (isAnsweredQuestion(event))
    return recordPersonActivity(context, event.session, `an answered question (${event.tool})`);
  await bindByCall(context, event);
  const tell = await lookAtOutputs(context, event);
  return tell === null ? null : { tell };
}

/** Records the tokens that a subagent of the session's run has used (documents.md, Cost). */
async function keepSpent(context: Within, session: string, spent: SubagentUsage): Promise<void> {
  const head = await findBoundRun(context, session);
  if (head !== null) await transact(context, head.snapshot.name, (tx) => recordEntry(tx, 'spent', { ...spent }));
}

/**
 * Tells a new or compacted session the state of its run; a new session continues the active run if another session has
 * left that run.
 */
async function begin(context: Within, { session, cause }: On<'session-start'>): Promise<HookAnswer | null> {
  const { run = null, heard = false } = (await context.store.sessionMark(session)) ?? {};
  if (run === null && !heard && cause !== 'clear') await bindToActiveRun(context, session);
  await context.store.changeSession(session, { becomes: 'heard' });
  return TELLS_WITH_PROMPT[context.caller.harness ?? ''] ? null : tellManifest(context, session);
}

/** Maximum times that an agent is asked to continue with an action. */
const NUDGES = 2;

/** Asks an agent that stops with an unfinished action to continue, unless somebody else has to act. */
async function goOn(context: Within, { session, backgroundTasks }: On<'stop'>): Promise<HookAnswer | null> {
  if (backgroundTasks) return null;
  const head = await findBoundRun(context, session);
  const action = head?.snapshot.pendingAction ?? null;
  if (head === null || action === null || !isInHand(action) || head.snapshot.held !== undefined) return null;
  const nudged = await transact(context, head.snapshot.name, (tx) => {
    const pending = tx.state.pendingAction;
    if (pending === null || pending.action === 'done' || pending.actionId !== action.actionId) return false;
    const times = (pending.nudges ?? 0) + 1;
    if (times > NUDGES) return false;
    recordEntry(tx, 'nudged', { actionId: action.actionId, times });
    tx.state.pendingAction = { ...pending, nudges: times };
    return true;
  });
  if (!nudged) return null;
  return { refuse: renderNudge(head.snapshot.name, action.actionId) };
}

/** The kinds of action that start agents, or write a file for a command. */
const IN_HAND: readonly string[] = Object.values(BLOCK_KINDS)
  .filter(({ by, hands }) => by === 'agents' || by === 'engine' || hands === 'file')
  .map(({ action }) => action);

function isInHand(action: PendingState): action is Exclude<PendingState, { action: 'done' }> {
  return action.action !== 'done' && action.asks !== 'user' && IN_HAND.includes(action.action);
}

async function end(context: Within, { session }: On<'session-end'>): Promise<null> {
  notePrompt(context, session, null);
  const head = await findBoundRun(context, session);
  if (head !== null) await context.store.changeSession(session, { becomes: 'left', runId: head.snapshot.runId });
  else if ((await context.store.sessionMark(session)) !== null)
    await context.store.changeSession(session, { becomes: 'forgotten' });
  return null;
}

/** The handlers, in the order in which they are called. */
export const HANDLERS: readonly HookHandler[] = [
  { id: 'guard', on: 'pre-tool-use', handle: judgeCall },
  { id: 'person', on: 'user-prompt-submit', handle: hearPrompt },
  { id: 'look', on: 'post-tool-use', handle: lookAfterTool },
  { id: 'begin', on: 'session-start', handle: begin },
  { id: 'go-on', on: 'stop', handle: goOn },
  { id: 'end', on: 'session-end', handle: end },
];
