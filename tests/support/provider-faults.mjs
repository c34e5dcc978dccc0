import { say } from './provider-write.mjs';

/** Faults in the answers of the four services, and how each service reports an error. */

/**
 * @typedef {import('./provider.mjs').Api} Api
 * @typedef {import('./provider.mjs').Step} Step
 * @typedef {import('./provider-write.mjs').Piece} Piece
 * @typedef {Record<string, unknown>} Json
 */

/** @type {Record<number, [string, string]>} error names by status: for anthropic, openai and chat; then for google */
const NAMES = {
  400: ['invalid_request_error', 'INVALID_ARGUMENT'],
  401: ['authentication_error', 'UNAUTHENTICATED'],
  403: ['permission_error', 'PERMISSION_DENIED'],
  404: ['not_found_error', 'NOT_FOUND'],
  429: ['rate_limit_error', 'RESOURCE_EXHAUSTED'],
  529: ['overloaded_error', 'UNAVAILABLE'],
};

/**
 * Builds the body of an error.
 * @param {Api} api
 * @param {number} status
 * @param {string} message
 * @returns {Json}
 */
export function writeError(api, status, message) {
  const [type, name] = NAMES[status] ?? ['api_error', 'INTERNAL'];
  if (api === 'anthropic') return { type: 'error', error: { type, message } };
  if (api === 'google') return { error: { code: status, message, status: name } };
  return { error: { message, type, param: null, code: message === CONTEXT[api] ? 'context_length_exceeded' : null } };
}

/** @type {Record<Api, string>} each service's message for a prompt that is too long */
export const CONTEXT = {
  anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
  openai: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  google: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  chat: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
};

/** @type {Record<Api, Piece>} */
const ERROR_EVENTS = {
  anthropic: say('body', writeError('anthropic', 529, 'Overloaded'), { event: 'error' }),
  openai: say('body', {
    type: 'error',
    sequence_number: 9,
    error: { type: 'server_error', code: 'server_error', message: 'The server had an error.', param: null },
  }),
  google: say('body', { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  chat: say('body', { error: { message: 'The server had an error.', type: 'server_error', param: null, code: null } }),
};

/** @type {Record<Api, Piece>} events that a later version of the service might send */
const UNKNOWN_EVENTS = {
  anthropic: say('body', { type: 'weather_report', sky: 'blue' }, { event: 'weather_report' }),
  openai: say('body', { type: 'response.weather.reported', sky: 'blue' }, { event: 'response.weather.reported' }),
  google: say('body', { weatherReport: { sky: 'blue' } }, { event: 'weather' }),
  chat: say('body', { object: 'weather.report', choices: [], sky: 'blue' }, { event: 'weather' }),
};

/** @type {(api: Api) => string} */
export const writePing = (api) => (api === 'anthropic' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': ping\n\n');

/**
 * Applies a fault to a complete answer: returns the texts that are still sent, and whether the stream then ends, is cut
 * or hangs.
 * @param {Api} api
 * @param {Piece[]} whole
 * @param {Step['fault']} fault
 * @returns {{ texts: string[], then: 'end' | 'cut' | 'wait' }}
 */
export function spoil(api, whole, fault) {
  const texts = whole.map(({ text }) => text);
  const first = whole.flatMap(({ call }, at) => (call === 0 ? [at] : []));
  const before = first[0] ?? whole.findIndex(({ part }) => part === 'end');
  const middle = first[Math.floor(first.length / 2)] ?? before - 1;
  const broken = (texts[middle] ?? '').slice(0, (texts[middle] ?? '').length / 2);
  switch (fault) {
    case 'cut-before':
      return { texts: texts.slice(0, before), then: 'cut' };
    case 'cut-in-call':
      return { texts: [...texts.slice(0, middle), broken], then: 'cut' };
    case 'cut-after-call':
      return { texts: texts.slice(0, (first.at(-1) ?? middle) + 1), then: 'cut' };
    case 'no-stop':
      return { texts: whole.filter(({ part }) => part !== 'end').map(({ text }) => text), then: 'end' };
    case 'error-event':
      return { texts: [...texts.slice(0, before), ERROR_EVENTS[api].text], then: 'end' };
    case 'unknown-event':
      return { texts: texts.toSpliced(before, 0, UNKNOWN_EVENTS[api].text), then: 'end' };
    case 'garbage':
      return { texts: texts.with(middle, `${broken}\n\n`), then: 'end' };
    case 'stall':
      return { texts: texts.slice(0, 1), then: 'wait' };
    default:
      return { texts, then: 'end' };
  }
}
