import { omitUndefined } from '../../../base/defined.js';
import { ERROR_CODES } from '../../../base/error-codes.js';
import { DevCliError, type ErrorCode } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { SessionTool, ToolResult } from '../tools/tool.js';
import type { FinishInput } from './acknowledge.js';

/** The state of a piece of work. */
type Outcome =
  /** `finish` was not called yet, or refused; `refused` is the latest reason. */
  | { kind: 'open'; refused?: string }
  | { kind: 'done'; said?: string }
  /** The work cannot be done, or `finish` was refused too often. */
  | { kind: 'failed'; reason: string }
  /** Somebody else did the work, or it is no longer needed. */
  | { kind: 'stale' }
  /** A person has to do something first. */
  | { kind: 'parked'; error: DevCliError };

/** The final outcome of a piece of work. Work that waits for a person has none. */
export type WorkOutcome = Exclude<Outcome, { kind: 'open' | 'parked' }>;

/**
 * How a piece of work ended, or why the drive has to stop first. `tokens` counts all that its session used; it is 0 if
 * an earlier driver has already recorded the end.
 */
export type WorkEnd =
  | { kind: 'ended'; outcome: WorkOutcome; tokens: number }
  | { kind: 'parked'; error: DevCliError }
  | { kind: 'stopped'; status: 'budget' | 'provider' | 'interrupted'; reason: string };

/** The tool `finish`, with which a model reports the end of its work, and what came of that report. */
export interface FinishTool {
  tool: SessionTool;
  outcome: () => Outcome;
}

/** After this many refusals of `finish`, the work counts as failed. */
const REFUSALS = 4;
/**
 * Codes that mean that nobody waits for this action any more. After any other refusal, the model may call `finish`
 * again.
 */
const STALE: readonly ErrorCode[] = ['STALE_ACTION', 'NOT_REACHED', 'PHASE_ENDED', 'RUN_ENDED'];
/** Maximum number of problems of a refusal that are shown. */
const TOLD = 20;

/**
 * Creates the tool `finish` for one piece of work. The work is judged while the call lasts: if the call is refused, the
 * model can correct the work and call it again (runtime.md, Driving).
 * @param choices the choices of the action; empty if it has none
 * @param judge accepts the model's report, or throws the error with which the report is refused
 */
export function createFinish(
  choices: readonly { id: string; label: string }[],
  judge: (finish: FinishInput) => Promise<void>,
): FinishTool {
  let outcome: Outcome = { kind: 'open' };
  let refusals = 0;
  const take = async (finish: FinishInput): Promise<ToolResult> => {
    if (outcome.kind !== 'open') return { output: 'The work is already finished.', isError: true };
    if (finish.cannot !== undefined) {
      outcome = { kind: 'failed', reason: finish.cannot };
      return { output: 'Noted.', isError: false };
    }
    try {
      await judge(finish);
      outcome = { kind: 'done', ...omitUndefined({ said: finish.reason }) };
      return { output: 'Done.', isError: false };
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      refusals += 1;
      outcome = judgeRefusal(error, refusals);
      return { output: renderRefusal(error), isError: true };
    }
  };
  const tool: SessionTool = {
    name: 'finish',
    description:
      'Report the work as done. Its promised outputs are checked now, as `dev-cli check` would: if something is missing, the answer says what; fix it and call finish again. `cannot`: the work cannot be done, and why.',
    schema: describeInput(choices),
    needs: 'read-only',
    isParallel: false,
    target: () => null,
    toHook: (input) => ({ tool: 'finish', input }),
    prepare: async (input) => ({ kind: 'read', run: () => take(input as FinishInput) }),
  };
  return { tool, outcome: () => outcome };
}

/** Returns whether an acknowledgement is refused because its action is over. */
export function isLateAcknowledgement({ code }: DevCliError): boolean {
  return STALE.includes(code);
}

function judgeRefusal(error: DevCliError, refusals: number): Outcome {
  if (error.answer !== undefined) return { kind: 'parked', error };
  if (isLateAcknowledgement(error)) return { kind: 'stale' };
  const exit = ERROR_CODES[error.code];
  if (exit !== 2 && exit !== 3) throw error;
  return refusals < REFUSALS
    ? { kind: 'open', refused: error.message }
    : { kind: 'failed', reason: `refused ${refusals} times: ${error.message}` };
}

function renderRefusal({ message, details, fix }: DevCliError): string {
  const lines = details
    .slice(0, TOLD)
    .map(({ target, agent, pointer, at, problem }) =>
      toBoundedLine(
        `- ${[[agent, target, at, pointer].filter(Boolean).join(' '), problem].filter(Boolean).join(': ')}`,
        500,
      ),
    );
  const more = details.length > TOLD ? [`and ${details.length - TOLD} more`] : [];
  return [message, ...lines, ...more, ...(typeof fix === 'string' ? [fix] : [])].join('\n');
}

function describeInput(choices: readonly { id: string; label: string }[]): JsonObject {
  const text = (description: string) => ({ type: 'string', minLength: 1, maxLength: 20_000, description });
  const choice = {
    type: 'string',
    enum: choices.map(({ id }) => id),
    description: choices.map(({ id, label }) => `${id}: ${label}`).join('; '),
  };
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...omitUndefined({ choice: choices.length === 0 ? undefined : choice }),
      reason: text('Why this choice, or the result if no file was promised.'),
      cannot: text('Why the work cannot be done.'),
    },
  };
}
