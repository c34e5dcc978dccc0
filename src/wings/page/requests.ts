import type { HonoRequest } from 'hono';
import { DevCliError, type ErrorCode } from '../../base/errors.js';
import { renderInstruction } from '../../base/invocation.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { requireName } from '../../base/name.js';
import { createFormatterFor } from '../../registry/render.js';
import { cleanText, renderClean } from './clean.js';
import { buildRefusedResponse } from './guard.js';
import type { WantedRun } from './live.js';

/** Returns the run that a request's address names. @throws DevCliError `NAME_INVALID` */
export function readWanted(req: HonoRequest): WantedRun {
  const runId = req.query('run');
  return { name: requireName(req.param('name') ?? ''), ...(runId !== undefined && { runId }) };
}

/** Returns a whole number from the query. @throws DevCliError `USAGE` */
export function readIndex(req: HonoRequest, key: string): number {
  const text = req.query(key) ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new DevCliError('USAGE', `${key} is not a whole number.`);
}

/** Parses a request body. @throws DevCliError `USAGE` for anything except an object */
export async function readBody(req: HonoRequest): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = parseOrNull(await req.text());
  if (isRecord(body)) return body;
  throw malformedError();
}

/** Builds the error for a request body, or the name of a tab, that the server does not accept. */
export function malformedError(): DevCliError {
  return new DevCliError('USAGE', 'The request body does not fit this address.');
}

/** Responds with a document as JSON. Invisible characters are removed from its texts, and secrets masked. */
export function respondWithDocument(document: object): Response {
  return new Response(renderClean(document), { headers: { 'content-type': 'application/json; charset=utf-8' } });
}

/**
 * Responds with one document per line, each produced once the receiver has taken the one before.
 * @param stop called when the stream ends, or the receiver is gone
 */
export function respondWithStream(lines: AsyncGenerator<object>, stop: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    // The browser gets the headers only with the first byte, so that byte is sent at once.
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

/** HTTP statuses for errors that the request or the run's state causes; every other code is sent as status 500. */
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

/** Responds with an error. @param root the root that commands in the fix are to name */
export function answerFailure(error: Error, root: string): Response {
  if (!(error instanceof DevCliError))
    return buildRefusedResponse(500, 'INTERNAL', `Unexpected: ${error.message.slice(0, 300)}`);
  const { code, message, fix } = error;
  const parts = fix === undefined || typeof fix === 'string' || !('command' in fix) ? fix : [fix];
  const told = typeof parts === 'string' ? parts : parts && renderInstruction(parts, createFormatterFor(root));
  return buildRefusedResponse(STATUSES[code] ?? 500, code, cleanText(message), told && cleanText(told));
}
