import type { JsonObject } from '../../../base/json.js';
import { replaceInvisible } from '../../../base/visible.js';
import type { Judgement } from '../core/permissions.js';

/** Asks a person about a call (runtime.md, Permissions). */

/** Decides about a call as it was judged. @returns null to carry it out, else its result. @throws as the question does, when it is cut off */
export type Approve = (judgement: Judgement, call: { tool: string; input: JsonObject }) => Promise<string | null>;

/** Characters of an input that are shown; of a file that is written, nobody reads more. */
const SHOWN = 4_000;

/**
 * Makes what decides about calls.
 * @param ask of the terminal (`Context.ask`); null where nobody is to be asked: then the reason is the refusal
 */
export function createApprove(ask: ((question: string) => Promise<string>) | null): Approve {
  // One question at a time, whoever asks.
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

/** Shows what a terminal would not, or obey, by its code. */
function reveal(text: string): string {
  const showCode = (found: string) => [...found].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('');
  return replaceInvisible(text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, showCode), showCode);
}
