import { omitUndefined } from '../../../base/defined.js';
import { isRecord, parseOrNull } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { type FaultKind, ProviderFault } from '../provider.js';

/** Maximum characters of a message. */
const MESSAGE = 500;
/** The SDK's error for a request that failed. */
const ASKED = 'AI_APICallError';
/** The SDK's errors about data that the provider sent; its other errors are about the request itself. */
const RECEIVED = /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error$/;
/**
 * Messages with which services and local servers report that the history is too long, rather than a single field of the
 * request.
 */
const TOO_LONG = [
  /\b(?:prompt|input)(?: is)? too long\b|reduce the length of the (?:messages|prompt|input)/i,
  /maximum (?:context|prompt|model) length|exceeded model token limit|context (?:window|length|size) exceed/i,
  /(?:exceed(?:s|ed)?|longer than|too large for)\b.{0,60}\bcontext (?:window|length|size|limit)/is,
  /\b(?:input|prompt)\b.{0,40}\bexceeds? the (?:maximum number of tokens|(?:configured )?limit of \d)/is,
];
const STATUSES: Readonly<Record<number, FaultKind>> = {
  ...{ 200: 'transport', 401: 'auth', 402: 'auth', 403: 'auth', 408: 'timeout', 409: 'transport', 413: 'context' },
  ...{ 429: 'rate', 503: 'overloaded', 504: 'timeout', 529: 'overloaded' },
};
/** Names that services give to errors. Those of `OVERLOADED` and `RATE` are also looked for in error messages. */
const OVERLOADED = /overloaded|over capacity/i;
const RATE = /rate[ _-]?limit|quota|resource_exhausted|too many requests/i;
const AUTH = /authentication|permission|unauthori[sz]ed|api_key/i;
const LARGE = /request_too_large|context_(?:length|size|window)/i;
/** Lack of money: a retry would not help. */
const MONEY = /insufficient_|billing|exceeded_current_quota/i;
const INVALID = /invalid|not_found|bad_request/i;

/**
 * Translates an error into a fault of the request (runtime.md, Provider).
 * @param error the thrown value, or the error that a stream contained
 * @param headers the answer's headers, if there was an answer
 * @param now milliseconds since the epoch
 * @returns a fault whose message is one line, without the key
 */
export function toFault(
  error: unknown,
  { key, headers, now }: { key: string | undefined; headers?: Record<string, string> | undefined; now: number },
): ProviderFault {
  const causes = listCauses(error);
  const fault = causes.find((cause) => cause instanceof ProviderFault);
  if (fault !== undefined) return fault;
  const whole = isRecord(error) ? error : { message: String(error) };
  // If the first event cannot be read, the Anthropic package reports a refused request and puts its parse error inside.
  const first = parseOrNull(String(whole['responseBody']));
  const isFirst = isRecord(first) && RECEIVED.test(String(first['name']));
  const given = isFirst ? { ...first, message: whole['message'], responseHeaders: whole['responseHeaders'] } : whole;
  const { status, called, message, delay } = readTold(given);
  const codes = causes.map((cause) => (isRecord(cause) ? cause['code'] : '')).join(' ');
  const name = (isFirst || error instanceof Error) && !isUnread(given) ? String(given['name']) : ASKED;
  const kind = (name === ASKED ? nameTold(status, called, message) : null) ?? nameBroken(name, codes);
  const line = toBoundedLine(key ? message.replaceAll(key, '[key]') : message, MESSAGE);
  const held = (given['responseHeaders'] ?? headers) as typeof headers;
  const requestId = held?.['request-id'] ?? held?.['x-request-id'];
  const details = omitUndefined({
    status,
    requestId,
    retryAfterMs: readRetryAfter(held?.['retry-after'] ?? delay, now),
  });
  return new ProviderFault(kind, line || `The provider failed: ${kind}.`, details);
}

function listCauses(error: unknown, known: readonly unknown[] = []): readonly unknown[] {
  if (error === undefined || known.includes(error)) return known;
  return listCauses(isRecord(error) ? error['cause'] : undefined, [...known, error]);
}

/**
 * Extracts the service's report from an error. `called` are its own names for the error, `delay` is the wait that
 * Google asks for.
 */
function readTold(given: Record<string, unknown>) {
  const { responseBody: raw = '', message, data, statusCode } = given;
  const body = parseOrNull(String(raw));
  const inner = isRecord(body) ? body : isUnread(given) ? given['value'] : given;
  const detail = isRecord(inner['error']) ? inner['error'] : inner;
  const status = [statusCode, detail['code']].find((code) => typeof code === 'number' && code >= 100);
  const called = [detail['type'], detail['code'], detail['status']].filter((one) => typeof one === 'string');
  // A body that the package could not interpret is added, because the message alone only names the status.
  const more = raw === '' || data !== undefined ? message : `${message}: ${String(raw).slice(0, 4 * MESSAGE)}`;
  const text = detail === given ? more : (detail['message'] ?? more);
  const delay = /"retryDelay":\s*"([^"]*)"/.exec(String(raw))?.[1];
  return { status: status as number | undefined, called: called.join(' '), message: String(text ?? ''), delay };
}

/** Returns whether the package failed to interpret an event that reports an error of the service. */
function isUnread(given: Record<string, unknown>): given is { value: Record<string, unknown> } {
  const { name, value } = given;
  return (
    name === 'AI_TypeValidationError' && isRecord(value) && (value['type'] === 'error' || isRecord(value['error']))
  );
}

/** Names the fault that the service reported; null if its report is not recognized. */
function nameTold(status: number | undefined, called: string, message: string): FaultKind | null {
  if (MONEY.test(called)) return 'auth';
  const plain = status === undefined ? undefined : STATUSES[status];
  if (plain !== undefined) return plain;
  const refused = TOO_LONG.some((text) => text.test(message)) || LARGE.test(called) ? 'context' : 'invalid';
  if (status !== undefined && status < 500) return status === 400 || status === 422 ? refused : 'invalid';
  // An error within a stream has no status, or one that the package invented.
  const text = `${called} ${message}`;
  if (OVERLOADED.test(text)) return 'overloaded';
  if (RATE.test(text)) return 'rate';
  if (AUTH.test(called)) return 'auth';
  return INVALID.test(called) || LARGE.test(called) ? refused : null;
}

function nameBroken(name: string, codes: string): FaultKind {
  if (RECEIVED.test(name)) return 'protocol';
  if (codes.includes('ERR_INVALID_URL') || (name !== ASKED && name.startsWith('AI_'))) return 'invalid';
  if (name !== ASKED && !/[A-Z]/.test(codes)) return 'protocol';
  return /TIMEDOUT|TIMEOUT/.test(codes) ? 'timeout' : 'transport';
}

/** Converts `Retry-After`, which is a number of seconds or a date, to milliseconds from now. */
function readRetryAfter(told: string | undefined, now: number): number | undefined {
  if (told === undefined) return undefined;
  const wait = /^\s*\d+(?:\.\d+)?s?\s*$/.test(told) ? Number.parseFloat(told) * 1_000 : Date.parse(told) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait));
}
