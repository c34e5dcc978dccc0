// door: refusal, inside: judge, inside: hook

import type { DevCliError, ErrorDetail } from '../base/errors.js';
import { toPlainLine } from './plain.js';

/** Maximum number of problems listed to a person. */
const DETAILS_SHOWN = 20;

/**
 * Lists the lines that describe an error to a person.
 * @param more the error's `fix`, which is appended to the first line, and its `answer`, which becomes the last line;
 * both already rendered as text
 */
export function listFailure(
  { code, message, details }: DevCliError,
  { fix, answer }: { fix?: string | undefined; answer?: string | undefined } = {},
): string[] {
  const line = toPlainLine(message);
  const ended = /[.!?]$/.test(line) ? line : `${line}.`;
  // A single problem that the message already contains is not repeated.
  const listed = details.length > 1 || details.some(({ problem }) => !message.includes(problem)) ? details : [];
  return [
    `${code}: ${ended}${fix === undefined ? '' : ` ${fix}`}`,
    ...listed.slice(0, DETAILS_SHOWN).map((detail) => `  ${renderDetail(detail)}`),
    ...(listed.length > DETAILS_SHOWN ? [`  and ${listed.length - DETAILS_SHOWN} more; --json lists all`] : []),
    ...(answer === undefined ? [] : [`  answer: ${answer}`]),
  ];
}

function renderDetail({ target, agent, pointer, at, problem, expected }: ErrorDetail): string {
  const place = [at ?? target ?? agent, pointer].filter((part) => part !== undefined && part !== '').join(' ');
  return toPlainLine(`${place === '' ? '' : `${place}: `}${problem}${expected === undefined ? '' : ` (${expected})`}`);
}
