import type { JsonObject } from '../../../base/json.js';
import { replaceInvisible } from '../../../base/visible.js';
import type { PermissionDecision } from '../core/permissions.js';

/** Asks a person for permission to make a call (runtime.md, Permissions). */

/**
 * Decides whether a call that was judged may be carried out.
 * @returns null if it may; otherwise the text that the model gets as its result
 * @throws as `ask`, if the question is interrupted
 */
export type Approve = (
  judgement: PermissionDecision,
  call: { tool: string; input: JsonObject },
) => Promise<string | null>;

/** Maximum characters of a call's input that the question shows; nobody would read a whole file there. */
const SHOWN = 4_000;

/**
 * Creates the function that decides about calls.
 * @param ask asks a person at the terminal (`Context.ask`). If null, nobody can be asked: a call that needs approval is
 * refused with the reason that its judgement gave
 */
export function createApprove(ask: ((question: string) => Promise<string>) | null): Approve {
  // The previous question: even if several sessions ask at once, a person sees one question at a time.
  let last: Promise<unknown> = Promise.resolve();
  return async (judgement, { tool, input }) => {
    if (judgement.judged === 'allow') return null;
    if (judgement.judged === 'deny' || ask === null) return judgement.reason;
    const answered = last.then(() => ask(renderQuestion(judgement.reason, tool, input)));
    last = answered.catch(() => undefined);
    return /^y(?:es)?$/i.test((await answered).trim()) ? null : 'denied by user approval prompt';
  };
}

function renderQuestion(reason: string, tool: string, input: JsonObject): string {
  const whole = reveal(JSON.stringify(input));
  const cut = whole.length > SHOWN ? `… [cut after ${SHOWN} of ${whole.length} characters]` : '';
  return [
    'Permission approval required',
    `  tool    ${reveal(tool)}`,
    `  input   ${whole.slice(0, SHOWN)}${cut}`,
    `  reason  ${reveal(reason)}`,
    'Approve this tool call? [y/N]: ',
  ].join('\n');
}

/** Replaces each character that a terminal would hide or interpret by its code, such as `\u{1b}`. */
function reveal(text: string): string {
  const showCode = (found: string) => [...found].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('');
  return replaceInvisible(text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, showCode), showCode);
}
