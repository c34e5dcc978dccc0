import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { nameMarkedHarness } from '../../base/harness-mark.js';
import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { HIDES_SESSION } from '../../generated/harnesses.js';
import { grantTrust, isAnyTrusted, isTrusted, revokeTrust } from '../../project/trust.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { computeCloneDigest } from './digests.js';
import { requireTerminal } from './person.js';

/**
 * Decides whether a person's prompt asks for autopilot (harness.md, Human gates). A doubtful prompt counts as a no,
 * because missing a yes is better than inventing one.
 */

/** Text that the person quotes rather than says: code, quotations, quoted lines. */
const SHOWN = /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|^\s*>.*$/gm;
/**
 * Ways to ask for autopilot: `--autopilot`, "autopilot" as a whole clause, or "in autopilot". The word does not count
 * as part of a longer name, such as that of a file.
 */
const ASKS =
  /(?<!\S)--auto-?pilot(?![\w./-])|^(?:please\s+)?auto-?pilot(?:\s+(?:mode|on|please))?$|(?<![\w./-])(?:in|on|im|en|with|use|using|via)\s+(?:full\s+)?auto-?pilot(?:\s+mode)?(?![\w/-]|\.\w)/i;
const REFUSES =
  /\b(?:no|not|never|without|stop|avoid|instead|rather|than|unless|until|cannot|nicht|kein\w*|ohne|nie|pas|sans|jamais|sin|nunca|non|senza)\b|n['’]t\b/i;

/** Whether a prompt asks for autopilot. @param prompt the prompt as typed */
export function asksForAutopilot(prompt: string): boolean {
  // Saves time: few prompts contain the word, and the patterns below take milliseconds.
  if (!prompt.toLowerCase().includes('pilot')) return false;
  const sentences = prompt.replace(SHOWN, ' ').match(/[^.!?;\n]+(?:[.!?;\n]+(?=\S)[^\s.!?;]*)*[.!?;\n]*/g) ?? [];
  const about = sentences.filter((sentence) => /auto-?pilot/i.test(sentence));
  if (about.some((sentence) => REFUSES.test(sentence) || sentence.includes('?'))) return false;
  return about.some((sentence) => sentence.split(/[,:.!;\n](?:\s|$)/).some((clause) => ASKS.test(clause.trim())));
}

/** Permission to start commands that an agent chose and no person has seen (engine.md, Approvals). */

/** Whether a person has allowed agents to work in autopilot in this clone. */
export function isAutopilotTrusted(context: Context): boolean {
  return isTrusted(context.trustDirectory, computeCloneDigest(context, 'autopilot'));
}

/**
 * Whether the caller may begin a run that starts commands unasked. True if the caller is not an agent, or if a person
 * has allowed it, by a prompt of this session or for this clone.
 * @throws DevCliError `IO`
 */
export function mayStartUnasked(context: Context): boolean {
  const { mark, trustDirectory } = context;
  if (mark === null) return true;
  const digest = computePromptDigest(context, nameMarkedHarness(mark), context.session);
  return (digest !== null && isTrusted(trustDirectory, digest)) || isAutopilotTrusted(context);
}

/** Returns the preferences with `approve_commands: ask` raised to `person`, which asks a person even in autopilot. */
export function requirePersonForCommands(preferences: RunState['preferences']): RunState['preferences'] {
  return preferences['approve_commands'] === 'ask' ? { ...preferences, approve_commands: 'person' } : preferences;
}

/**
 * Records whether a person's newest prompt in a session asks for autopilot. Stores nothing else about the prompt.
 * @param prompt null if the session has ended
 * @throws DevCliError `IO`
 */
export function notePrompt(context: Context, session: string, prompt: string | null): void {
  const { trustDirectory, caller } = context;
  const asks = prompt !== null && asksForAutopilot(prompt);
  if (!asks && !isAnyTrusted(trustDirectory)) return;
  const digest = computePromptDigest(context, caller.harness ?? null, session);
  if (digest === null) return;
  if (asks) grantTrust(trustDirectory, digest);
  else if (isTrusted(trustDirectory, digest)) revokeTrust(trustDirectory, digest);
}

/**
 * Computes the digest under which a session's permission is recorded; null without a harness or session. The digest
 * includes the harness, so calls from another harness do not find the permission.
 */
function computePromptDigest({ root }: Context, harness: string | null, session: string | null): string | null {
  // A harness that hides the session's id from the commands it runs gets one record for the whole root; it holds the
  // newest prompt of any session.
  const id = HIDES_SESSION[harness ?? ''] ? '' : session;
  return harness === null || id === null ? null : sha256(canonicalJson(['prompt', root, harness, id]));
}

const ANSWER = { command: 'trust', input: { recipe: 'autopilot' } };

/**
 * `trust autopilot`: asks the person to let agents work in autopilot in this clone.
 * @throws DevCliError `TERMINAL_REQUIRED`; `UNKNOWN_CHOICE` for any answer except yes
 */
export async function trustAutopilot(context: Context): Promise<Answer> {
  requireTerminal(context, ANSWER);
  const { root, trustDirectory } = context;
  if (!isAutopilotTrusted(context)) {
    const typed = await context.ask(
      [
        'An agent may then begin runs in autopilot here. dev-cli starts the commands of their plans, which agents write, on this',
        `machine, outside of a harness's sandbox, and nobody is asked. This holds for ${root}, not for a copy of it.`,
        'Trust autopilot here? y or n: ',
      ].join('\n'),
    );
    if (!/^y(es)?$/i.test(typed)) {
      throw new DevCliError('UNKNOWN_CHOICE', 'Autopilot is not trusted here.', {
        fix: 'Nothing changed.',
        answer: ANSWER,
      });
    }
    grantTrust(trustDirectory, computeCloneDigest(context, 'autopilot'));
  }
  return {
    exit: 0,
    json: { ok: true, autopilot: root },
    text: () =>
      'Agents may begin runs in autopilot here from now on. Questions that are already open still need your answer: dev-cli approve',
  };
}
