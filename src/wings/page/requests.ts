import type { HonoRequest } from 'hono';
import { DevCliError, type ErrorCode } from '../../base/errors.js';
import { renderInstruction } from '../../base/invocation.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { requireName } from '../../base/name.js';
import { createFormatterFor } from '../../registry/render.js';
import { cleanText, renderClean } from './clean.js';
import { refuse } from './guard.js';
import type { WantedRun } from './live.js';

/** What requests say, and how they are answered. */

/** The run that an address names. @throws DevCliError `NAME_INVALID` */
export function readWanted(req: HonoRequest): WantedRun {
  const runId = req.query('run');
  return { name: requireName(req.param('name') ?? ''), ...(runId !== undefined && { runId }) };
}

/** A whole number of an address. @throws DevCliError `USAGE` */
export function readIndex(req: HonoRequest, key: string): number {
  const text = req.query(key) ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new DevCliError('USAGE', `${key} is no whole number.`);
}

/** What was posted. @throws DevCliError `USAGE` for anything but an object */
export async function readBody(req: HonoRequest): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = parseOrNull(await req.text());
  if (isRecord(body)) return body;
  throw malformedError();
}

/** What was posted is not what the address takes. */
export function malformedError(): DevCliError {
  return new DevCliError('USAGE', 'This is not what the address takes.');
}

/** Answers with a document, whose texts are cleaned. */
export function answer(document: object): Response {
  return new Response(renderClean(document), { headers: { 'content-type': 'application/json; charset=utf-8' } });
}

/**
 * Answers with a document a line, each when it is made and the receiver has taken the one before.
 * @param stop is called when it has ended, or the receiver has gone
 */
export function stream(lines: AsyncGenerator<object>, stop: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    // The answer's head is sent with its first byte, and a receiver waits for it.
    start: (controller) => controller.enqueue(encoder.encode('\n')),
    async pull(controller) {
      const { done, value } = await lines.next().catch((error: unknown) => {
        stop();
        throw error;
      });
      if (done !== true) return controller.enqueue(encoder.encode(`${renderClean(value)}\n`));
      stop();
      controller.close();
    },
    cancel: stop,
  });
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } });
}

/** The status of what is refused; anything else is a fault of the server. */
const STATUSES: Partial<Record<ErrorCode, 400 | 403 | 404 | 409>> = {
  USAGE: 400,
  NAME_INVALID: 404,
  NO_SUCH_RUN: 404,
  DATA_MISSING: 404,
  DATA_UNEXPECTED: 400,
  UNKNOWN_CHOICE: 400,
  TERMINAL_REQUIRED: 403,
  INPUT_CHANGED: 409,
  PLAN_EDITED: 409,
  STALE_ACTION: 409,
};

/** Answers with what went wrong, at the root where commands are to run. */
export function answerFailure(error: Error, root: string): Response {
  if (!(error instanceof DevCliError)) return refuse(500, 'INTERNAL', `Unexpected: ${error.message.slice(0, 300)}`);
  const { code, message, fix } = error;
  const parts = fix === undefined || typeof fix === 'string' || !('command' in fix) ? fix : [fix];
  const told = typeof parts === 'string' ? parts : parts && renderInstruction(parts, createFormatterFor(root));
  return refuse(STATUSES[code] ?? 500, code, cleanText(message), told && cleanText(told));
}
