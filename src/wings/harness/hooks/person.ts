import { isRecord } from '../../../base/json.js';
import { QUESTION_TOOLS } from '../../../generated/harness-events.js';
import type { HookAnswer, HookEvent } from '../../../protocol/ports.js';
import { createFormatterFor } from '../../../registry/render.js';
import type { GateAction } from '../../../run/action.js';
import type { Context } from '../../../run/context.js';
import { displayPath } from '../../../run/paths.js';
import type { RunState } from '../../../run/state.js';
import { transact } from '../../../run/transact.js';
import { recordEntry } from '../../../run/transaction.js';
import { findBoundRun } from '../guard/judging-run.js';
import { NUDGE } from './payload.js';

/** Records that a person was active in a chat (harness.md, Human gates); an agent cannot forget or fake this. */

/**
 * Returns whether a person wrote this prompt, rather than a script or the harness (a subagent's first message, or a
 * notice).
 */
export function isPersonsPrompt({
  agent,
  attended,
  prompt,
}: Extract<HookEvent, { on: 'user-prompt-submit' }>): boolean {
  return agent === null && attended && prompt.trim() !== '';
}

/**
 * Renders the nudge, which asks an agent that stops to continue; payload.ts recognizes it if it comes back as a prompt.
 */
export function renderNudge(run: string, actionId: string): string {
  return `dev-cli: ${actionId} of "${run}" ${NUDGE} ${run}\` shows it. If you cannot do it: \`dev-cli step fail ${run} --action ${actionId} --reason "why"\`.`;
}

/** Returns whether this tool call was a question of the main agent that the user has answered. */
export function isAnsweredQuestion({
  agent,
  attended,
  tool,
  input,
}: Extract<HookEvent, { on: 'post-tool-use' }>): boolean {
  const answers = input['answers'];
  return (
    agent === null && attended && QUESTION_TOOLS.includes(tool) && isRecord(answers) && Object.keys(answers).length > 0
  );
}

/**
 * Records that a person was active, if the session's run is waiting for one.
 * @param what how the person was noticed, for the journal; never their words
 * @returns the agent's next step if a gate is now open; null if the run was not waiting for a person
 */
export async function recordPersonActivity(
  context: Context,
  session: string,
  what: string,
): Promise<HookAnswer | null> {
  const head = await findBoundRun(context, session);
  if (head === null || !waitsForPerson(head.snapshot)) return null;
  const asPerson: Context = { ...context, caller: { ...context.caller, kind: 'human', session } };
  return transact(asPerson, head.snapshot.name, (tx) => {
    if (!waitsForPerson(tx.state)) return null;
    recordEntry(tx, 'human', { what });
    tx.state.lastHuman = { seq: 0, at: tx.at };
    const action = tx.state.pendingAction;
    return { tell: action?.action === 'wait-for-user' ? renderWaysOn(context, action) : REPEAT };
  });
}

function waitsForPerson(state: RunState): boolean {
  return state.pendingAction?.action === 'wait-for-user' || state.sourcesRefused !== null;
}

const REPEAT =
  'dev-cli: the user was heard. If they want the changed sources kept, repeat the acknowledgement that was refused; it accepts the paths it listed.';

/**
 * Renders the command of each choice. The action itself shows no commands, so that an agent cannot run one before the
 * user has spoken.
 */
function renderWaysOn(context: Context, { run, block, actionId, choices = [] }: GateAction): string {
  const format = createFormatterFor(undefined);
  const lines = choices.map(({ id, reason }) => {
    const input = { name: run, action: actionId, choice: id };
    if (reason === undefined) return `- ${id}: ${format({ command: 'step complete', input })}`;
    const note = displayPath(context, run, `actions/${actionId}/note.md`);
    return `- ${id}: write why to ${note}, then ${format({ command: 'step complete', input: { ...input, note: `@${note}` } })}`;
  });
  const head = `dev-cli: the user was heard, and "${block}" of ${run} may be answered. Only if they chose one of these, run its command; otherwise answer them and wait.`;
  return [head, ...lines].join('\n');
}
