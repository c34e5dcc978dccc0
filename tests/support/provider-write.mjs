import { createHash } from 'node:crypto';

/** How each of the four services writes an answer as a stream of events. */

/**
 * @typedef {import('./provider.mjs').Api} Api
 * @typedef {import('./provider.mjs').Billed} Tokens
 *
 * @typedef {object} Answer a scripted step, with the fields that the service fills in
 * @property {string} id
 * @property {string} model
 * @property {string} [thinking]
 * @property {string} [text]
 * @property {{ id: string, name: string, input: string }[]} calls
 * @property {'length' | 'refused' | 'paused'} [stop]
 * @property {boolean} interleave
 * @property {Omit<Tokens, 'requests'>} usage
 * @property {Record<string, unknown>} raw the request's body; parts of an answer are sent only if it asks for them
 *
 * @typedef {object} Piece one event
 * @property {string} text
 * @property {'open' | 'body' | 'end'} part
 * @property {number} [call] the index of the call that the event belongs to
 * @typedef {Record<string, unknown>} Json
 */

/**
 * Returns the signature that a service attaches to a thought, by which it recognizes its own thoughts later.
 * @param {Api} api
 * @param {string} text
 */
export const seal = (api, text) => createHash('sha256').update(`${api}\n${text}`).digest('base64');

/**
 * Makes an event.
 * @param {Piece['part']} part
 * @param {Json | string} data
 * @param {{ event?: string, call?: number }} [more]
 * @returns {Piece}
 */
export function say(part, data, { event, call } = {}) {
  const text = `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return { part, text, ...(call === undefined ? {} : { call }) };
}

/**
 * Splits a text into three deltas, never in the middle of a character.
 * @param {string} text
 */
function cutUp(text) {
  const letters = [...text];
  const size = Math.max(1, Math.ceil(letters.length / 3));
  return [0, 1, 2].map((at) => letters.slice(at * size, (at + 1) * size).join('')).filter((part) => part !== '');
}

/**
 * Joins the events of several calls: one call after the other or, with `interleave`, their arguments in turns.
 * @param {Piece[][]} calls
 * @param {boolean} interleave
 */
function join(calls, interleave) {
  if (!interleave) return calls.flat();
  const longest = Math.max(0, ...calls.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => calls.flatMap((call) => call.slice(at, at + 1))).flat();
}

/** @param {Answer} answer */
function writeAnthropic({ id, model, thinking, text, calls, stop, interleave, usage }) {
  /** @type {(part: Piece['part'], type: string, more: Json, call?: number) => Piece} */
  const on = (part, type, more, call) =>
    say(part, { type, ...more }, { event: type, ...(call === undefined ? {} : { call }) });
  let index = -1;
  /** @type {(start: Json, deltas: Json[], call?: number) => Piece[]} */
  const block = (start, deltas, call) => {
    index += 1;
    const at = index;
    return [
      on('body', 'content_block_start', { index: at, content_block: start }, call),
      ...deltas.map((delta) => on('body', 'content_block_delta', { index: at, delta }, call)),
      on('body', 'content_block_stop', { index: at }, call),
    ];
  };
  const counts = {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const reasons = { length: 'max_tokens', refused: 'refusal', paused: 'pause_turn' };
  const stop_reason = stop === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : reasons[stop];
  return [
    on('open', 'message_start', { message: { ...message, usage: { ...counts, output_tokens: 1 } } }),
    on('open', 'ping', {}),
    ...(thinking === undefined
      ? []
      : block({ type: 'thinking', thinking: '', signature: '' }, [
          ...cutUp(thinking).map((part) => ({ type: 'thinking_delta', thinking: part })),
          { type: 'signature_delta', signature: seal('anthropic', thinking) },
        ])),
    ...(text === undefined
      ? []
      : block(
          { type: 'text', text: '' },
          cutUp(text).map((part) => ({ type: 'text_delta', text: part })),
        )),
    ...join(
      calls.map((call, at) =>
        block(
          { type: 'tool_use', id: call.id, name: call.name, input: {} },
          ['', ...cutUp(call.input)].map((part) => ({ type: 'input_json_delta', partial_json: part })),
          at,
        ),
      ),
      interleave,
    ),
    on('end', 'message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output } }),
    on('end', 'message_stop', {}),
  ];
}

/** @param {Answer} answer */
function writeOpenai({ id, model, thinking, text, calls, stop, interleave, usage, raw }) {
  /** @type {(part: Piece['part'], type: string, more: Json, call?: number) => Piece} */
  const on = (part, type, more, call) =>
    say(part, { type, ...more }, { event: type, ...(call === undefined ? {} : { call }) });
  const response = { id: `resp_${id}`, object: 'response', created_at: 1_700_000_000, model };
  let output_index = -1;
  /** @type {(begun: Json, done: Json, between: (place: Json) => [string, Json][], call?: number) => Piece[]} */
  const item = (begun, done, between, call) => {
    output_index += 1;
    const place = { output_index, item_id: begun['id'] };
    return [
      on('body', 'response.output_item.added', { output_index, item: begun }, call),
      ...between(place).map(([type, more]) => on('body', type, { ...place, ...more }, call)),
      on('body', 'response.output_item.done', { output_index, item: { ...begun, ...done, status: 'completed' } }, call),
    ];
  };
  const isEncrypted = Array.isArray(raw['include']) && raw['include'].includes('reasoning.encrypted_content');
  // The encrypted content at the beginning of an item differs from the one at its end, which has to be sent back later.
  /** @param {string} content */
  const encrypted = (content) => (isEncrypted ? { encrypted_content: content } : {});
  const thought = thinking ?? '';
  const reason = { length: 'max_output_tokens', refused: 'content_filter', paused: undefined }[stop ?? 'paused'];
  return [
    on('open', 'response.created', { response: { ...response, status: 'in_progress' } }),
    on('open', 'response.in_progress', { response: { ...response, status: 'in_progress' } }),
    ...(thinking === undefined
      ? []
      : item(
          { type: 'reasoning', id: `rs_${id}`, summary: [], ...encrypted('begun') },
          {
            summary: thought === '' ? [] : [{ type: 'summary_text', text: thought }],
            ...encrypted(seal('openai', thought)),
          },
          () =>
            thought === ''
              ? []
              : [
                  ['response.reasoning_summary_part.added', { summary_index: 0 }],
                  ...cutUp(thought).map(
                    /** @returns {[string, Json]} */
                    (delta) => ['response.reasoning_summary_text.delta', { summary_index: 0, delta }],
                  ),
                  ['response.reasoning_summary_part.done', { summary_index: 0 }],
                ],
        )),
    ...(text === undefined
      ? []
      : item(
          { type: 'message', id: `msg_${id}`, role: 'assistant', content: [] },
          { content: [{ type: 'output_text', text, annotations: [] }] },
          () => cutUp(text).map((delta) => ['response.output_text.delta', { content_index: 0, delta }]),
        )),
    ...join(
      calls.map((call, at) =>
        item(
          { type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name, arguments: '' },
          { arguments: call.input },
          () => [
            ...cutUp(call.input).map(
              /** @returns {[string, Json]} */
              (delta) => ['response.function_call_arguments.delta', { delta }],
            ),
            ['response.function_call_arguments.done', { arguments: call.input }],
          ],
          at,
        ),
      ),
      interleave,
    ),
    on('end', reason === undefined ? 'response.completed' : 'response.incomplete', {
      response: {
        ...response,
        status: reason === undefined ? 'completed' : 'incomplete',
        incomplete_details: reason === undefined ? null : { reason },
        usage: {
          input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
          input_tokens_details: { cached_tokens: usage.cacheRead },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
        },
      },
    }),
  ];
}

/** @param {Answer} answer */
function writeGoogle({ id, model, thinking, text, calls, stop, usage }) {
  /** @type {(part: Piece['part'], parts: Json[], more?: Json, call?: number) => Piece} */
  const on = (part, parts, { usageMetadata, ...more } = {}, call) =>
    say(
      part,
      {
        candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
        ...(usageMetadata === undefined ? {} : { usageMetadata }),
        modelVersion: model,
        responseId: id,
      },
      call === undefined ? {} : { call },
    );
  /** @param {string} input */
  const args = (input) => {
    try {
      return { args: JSON.parse(input) };
    } catch {
      return input === '' ? {} : { args: input };
    }
  };
  const reasons = { length: 'MAX_TOKENS', refused: 'SAFETY', paused: 'STOP' };
  // An answer has one signature: at its first call or, without calls, at its end with an empty text.
  const atEnd = thinking !== undefined && text !== undefined && calls.length === 0;
  return [
    ...cutUp(thinking ?? '').map((part) => on('body', [{ text: part, thought: true }])),
    ...cutUp(text ?? '').map((part) => on('body', [{ text: part }])),
    ...calls.map(({ id: callId, name, input }, at) =>
      on(
        'body',
        [
          {
            functionCall: { id: callId, name, ...args(input) },
            ...(thinking !== undefined && at === 0 ? { thoughtSignature: seal('google', callId) } : {}),
          },
        ],
        {},
        at,
      ),
    ),
    on('end', [{ text: '', ...(atEnd ? { thoughtSignature: seal('google', text ?? '') } : {}) }], {
      finishReason: reasons[stop ?? 'paused'],
      usageMetadata: {
        promptTokenCount: usage.input + usage.cacheRead + usage.cacheWrite,
        cachedContentTokenCount: usage.cacheRead,
        candidatesTokenCount: usage.output,
        thoughtsTokenCount: 0,
        totalTokenCount: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
      },
    }),
  ];
}

/** @param {Answer} answer */
function writeChat({ id, model, thinking, text, calls, stop, interleave, usage, raw }) {
  const head = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1_700_000_000, model };
  /** @type {(part: Piece['part'], delta: Json, finish?: string | null, call?: number) => Piece} */
  const on = (part, delta, finish_reason = null, call) =>
    say(part, { ...head, choices: [{ index: 0, delta, finish_reason }] }, call === undefined ? {} : { call });
  const reasons = { length: 'length', refused: 'content_filter', paused: 'stop' };
  const prompt_tokens = usage.input + usage.cacheRead + usage.cacheWrite;
  const counts = {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
  const options = /** @type {Json | undefined} */ (raw['stream_options']);
  return [
    on('open', { role: 'assistant', content: '' }),
    ...cutUp(thinking ?? '').map((part) => on('body', { reasoning_content: part })),
    ...cutUp(text ?? '').map((content) => on('body', { content })),
    ...join(
      calls.map(({ id: callId, name, input }, index) =>
        [
          { index, id: callId, type: 'function', function: { name, arguments: '' } },
          ...cutUp(input).map((part) => ({ index, function: { arguments: part } })),
        ].map((call) => on('body', { tool_calls: [call] }, null, index)),
      ),
      interleave,
    ),
    on('end', {}, stop === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : reasons[stop]),
    ...(options?.['include_usage'] === true ? [say('end', { ...head, choices: [], usage: counts })] : []),
    say('end', '[DONE]'),
  ];
}

/** @type {Record<Api, (answer: Answer) => Piece[]>} */
export const WRITERS = { anthropic: writeAnthropic, openai: writeOpenai, google: writeGoogle, chat: writeChat };
