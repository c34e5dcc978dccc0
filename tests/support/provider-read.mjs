import { need, Refusal } from './provider-judge.mjs';

/** How each of the four services reads a request, and which requests it refuses. */

/**
 * @typedef {import('./provider.mjs').Api} Api
 * @typedef {Record<string, unknown>} Json
 *
 * @typedef {{ kind: 'text', text: string, seal?: unknown }
 *   | { kind: 'thinking', text: string, seal?: unknown }
 *   | { kind: 'call', id: string, name: string, input: Json, seal?: unknown }
 *   | { kind: 'result', id: string, output: string, isError: boolean }} Block
 * @typedef {{ role: 'user' | 'assistant' | 'tool', blocks: Block[] }} Message
 *
 * @typedef {object} Read
 * @property {string[]} system
 * @property {Message[]} messages the results of one answer's calls share a message of role `tool`; no other messages
 * are joined
 * @property {string[]} tools
 * @property {{ text: string, breakpoint: boolean }[]} segments the parts of the prompt, in order; a cache may hold
 * the first few of them
 */

/** @type {(value: unknown, what: string) => Json} */
function object(value, what) {
  need(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is not an object`);
  return /** @type {Json} */ (value);
}

/** @type {(value: unknown, what: string) => string} */
function string(value, what) {
  need(typeof value === 'string', `${what} is not a string`);
  return value;
}

/** @type {(value: unknown, what: string) => Json[]} */
function list(value, what) {
  need(Array.isArray(value), `${what} is not a list`);
  return value.map((item, at) => object(item, `${what}[${at}]`));
}

/** @type {(value: unknown, what: string) => Json} */
function parseArguments(value, what) {
  try {
    return object(JSON.parse(string(value, what)), what);
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(`${what} is not JSON`);
  }
}

/** @type {(value: unknown, what: string) => string[]} reads content that is a string or a list of text parts */
function texts(value, what) {
  if (typeof value === 'string') return [value];
  return list(value, what).map((part) => string(part['text'], `the text of ${what}`));
}

/** @type {(body: Json, fields: string) => void} */
function needKnown(body, fields) {
  const known = fields.split(' ');
  for (const field of Object.keys(body)) need(known.includes(field), `${field}: extra inputs are not permitted`);
}

/** @type {(tools: Json[], schema: string) => string[]} */
function readTools(tools, schema) {
  const names = tools.map((tool) => {
    const name = string(tool['name'], 'the name of a tool');
    need(/^[A-Za-z0-9_-]{1,64}$/.test(name), `tools: the name ${name} does not match ^[A-Za-z0-9_-]{1,64}$`);
    const { type } = object(tool[schema], `tools: ${schema} of ${name}`);
    need(type === 'object', `tools: ${schema} of ${name} has not the type object`);
    return name;
  });
  need(new Set(names).size === names.length, 'tools: names are not unique');
  return names;
}

/** @type {(items: unknown[]) => Read['segments']} */
const segmentsOf = (items) =>
  items.map((item) => ({
    text: JSON.stringify(item, (key, held) => (key === 'cache_control' ? undefined : held)),
    breakpoint: typeof item === 'object' && item !== null && 'cache_control' in item && item.cache_control != null,
  }));

/** @type {(value: unknown, what: string) => void} */
function needLimit(value, what) {
  need(Number.isInteger(value) && Number(value) > 0, `${what}: a positive integer is required`);
}

const ANTHROPIC =
  'model messages max_tokens system tools tool_choice stream thinking temperature top_p top_k stop_sequences metadata output_config service_tier';

/** @type {(body: Json) => Read} */
function readAnthropic(body) {
  needKnown(body, ANTHROPIC);
  needLimit(body['max_tokens'], 'max_tokens');
  const system = typeof body['system'] === 'string' ? [{ text: body['system'] }] : list(body['system'] ?? [], 'system');
  const tools = list(body['tools'] ?? [], 'tools');
  /** @type {Json[]} */
  const all = [];
  const messages = list(body['messages'], 'messages').flatMap((message, at) => {
    const { role, content } = message;
    need(role === 'user' || role === 'assistant', `messages.${at}: unexpected role ${role}`);
    const items = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content, `messages.${at}`);
    need(items.length > 0, `messages.${at}: content is empty`);
    all.push(...items.map((item) => ({ role, ...item })));
    const blocks = items.map((item, block) => readAnthropicBlock(item, role, `messages.${at}.content.${block}`));
    if (role === 'assistant') return [/** @type {Message} */ ({ role, blocks })];
    const firstText = blocks.findIndex(({ kind }) => kind === 'text');
    const results = blocks.slice(0, firstText === -1 ? undefined : firstText);
    const rest = blocks.slice(results.length);
    need(
      rest.every(({ kind }) => kind === 'text'),
      `messages.${at}: tool_result blocks have to come first`,
    );
    /** @type {Message[]} */
    const split = [
      { role: 'tool', blocks: results },
      { role: 'user', blocks: rest },
    ];
    return split.filter(({ blocks: { length } }) => length > 0);
  });
  const breakpoints = [...tools, ...system, ...all].filter(({ cache_control }) => cache_control != null);
  need(
    breakpoints.length <= 4,
    `A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints.length}.`,
  );
  return {
    system: system.map(({ text }) => string(text, 'a text of system')),
    messages,
    tools: readTools(tools, 'input_schema'),
    segments: [...segmentsOf(tools), ...segmentsOf(system), ...segmentsOf(all)],
  };
}

/** @type {(item: Json, role: string, what: string) => Block} */
function readAnthropicBlock(item, role, what) {
  switch (item['type']) {
    case 'text': {
      const text = string(item['text'], what);
      need(text.trim() !== '', `${what}: text content blocks must contain non-whitespace text`);
      return { kind: 'text', text };
    }
    case 'thinking':
      need(role === 'assistant', `${what}: thinking of a user`);
      need(item['cache_control'] == null, `${what}: cache_control at thinking`);
      return { kind: 'thinking', text: string(item['thinking'], what), seal: item['signature'] ?? null };
    case 'tool_use':
      need(role === 'assistant', `${what}: tool_use of a user`);
      return {
        kind: 'call',
        id: string(item['id'], what),
        name: string(item['name'], what),
        input: object(item['input'], `${what}.input`),
      };
    case 'tool_result':
      need(role === 'user', `${what}: tool_result of an assistant`);
      return {
        kind: 'result',
        id: string(item['tool_use_id'], what),
        output: texts(item['content'] ?? '', what).join(''),
        isError: item['is_error'] === true,
      };
    default:
      throw new Refusal(`${what}: unexpected type ${item['type']}`);
  }
}

const OPENAI =
  'model input instructions include store stream tools tool_choice parallel_tool_calls reasoning text max_output_tokens temperature top_p metadata user prompt_cache_key prompt_cache_retention safety_identifier service_tier truncation';

/** @type {(body: Json) => Read} */
function readOpenai(body) {
  needKnown(body, OPENAI);
  if (body['max_output_tokens'] != null)
    need(Number(body['max_output_tokens']) >= 16, 'max_output_tokens: below the minimum of 16');
  const input = list(body['input'], 'input');
  const tools = list(body['tools'] ?? [], 'tools');
  /** @type {string[]} */
  const system = [];
  /** @type {Message[]} */
  const messages = [];
  /** @type {(role: Message['role'], block: Block[]) => void} */
  const add = (role, blocks) => {
    const last = messages.at(-1);
    if (last?.role === role && role !== 'user') last.blocks.push(...blocks);
    else messages.push({ role, blocks: [...blocks] });
  };
  for (const [at, item] of input.entries()) {
    const what = `input[${at}]`;
    const { type = 'message', role } = item;
    if (type === 'reasoning') {
      const next = input[at + 1];
      const follows = next?.['role'] === 'assistant' || ['function_call', 'reasoning'].includes(String(next?.['type']));
      need(follows, `${what}: 'reasoning' was provided without its required following item`);
      const text = texts(item['summary'], what).join('');
      add('assistant', [{ kind: 'thinking', text, seal: item['encrypted_content'] ?? null }]);
    } else if (type === 'function_call') {
      const call = { id: string(item['call_id'], what), name: string(item['name'], what) };
      add('assistant', [{ kind: 'call', ...call, input: parseArguments(item['arguments'], `${what}.arguments`) }]);
    } else if (type === 'function_call_output') {
      const output = texts(item['output'], what).join('');
      add('tool', [{ kind: 'result', id: string(item['call_id'], what), output, isError: false }]);
    } else if (type === 'message' && (role === 'system' || role === 'developer')) {
      system.push(...texts(item['content'], what));
    } else {
      need(type === 'message', `${what}: unexpected type ${type}`);
      need(role === 'user' || role === 'assistant', `${what}: unexpected role ${role}`);
      add(
        role,
        texts(item['content'], what).map((text) => ({ kind: 'text', text })),
      );
    }
  }
  for (const tool of tools) need(tool['type'] === 'function', 'tools: unexpected type');
  return { system, messages, tools: readTools(tools, 'parameters'), segments: segmentsOf([...tools, ...input]) };
}

/** @type {(body: Json) => Read} */
function readGoogle(body) {
  needKnown(body, 'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels');
  const system = body['systemInstruction'] == null ? [] : [object(body['systemInstruction'], 'systemInstruction')];
  const tools = list(body['tools'] ?? [], 'tools').flatMap((tool) => list(tool['functionDeclarations'], 'tools'));
  /** @type {Json[]} */
  const all = [];
  const messages = list(body['contents'], 'contents').map((content, at) => {
    const what = `contents[${at}]`;
    const { role } = content;
    need(role === 'user' || role === 'model', `${what}: Please use a valid role: user, model.`);
    const parts = list(content['parts'], `${what}.parts`);
    need(parts.length > 0, `${what}: must include at least one parts field`);
    all.push(...parts.map((part) => ({ role, part })));
    const blocks = parts.map((part) => readGooglePart(part, role, what));
    const results = blocks.filter(({ kind }) => kind === 'result').length;
    need(results === 0 || results === blocks.length, `${what}: functionResponse beside other parts`);
    /** @type {Message} */
    const message = { role: role === 'model' ? 'assistant' : results > 0 ? 'tool' : 'user', blocks };
    return message;
  });
  const last = messages.at(-1);
  need(last !== undefined && last.role !== 'assistant', 'Please ensure that the last content is of the user.');
  return {
    system: system.flatMap(({ parts }) => texts(parts, 'systemInstruction.parts')),
    messages,
    // A tool without arguments need not declare parameters.
    tools: readTools(
      tools.map((tool) => ({ parameters: { type: 'object' }, ...tool })),
      'parameters',
    ),
    segments: segmentsOf([...tools, ...system, ...all]),
  };
}

/** @type {(part: Json, role: string, what: string) => Block} */
function readGooglePart(part, role, what) {
  const given = part['thoughtSignature'] === undefined ? {} : { seal: part['thoughtSignature'] };
  if (part['functionCall'] !== undefined) {
    need(role === 'model', `${what}: functionCall of a user`);
    const call = object(part['functionCall'], what);
    const input = object(call['args'] ?? {}, `${what}: args`);
    return { kind: 'call', id: string(call['id'], what), name: string(call['name'], what), input, ...given };
  }
  if (part['functionResponse'] !== undefined) {
    need(role === 'user', `${what}: functionResponse of the model`);
    const result = object(part['functionResponse'], what);
    const { content } = object(result['response'], `${what}: response`);
    const output = typeof content === 'string' ? content : JSON.stringify(content);
    return { kind: 'result', id: string(result['id'], what), output, isError: false };
  }
  return { kind: part['thought'] === true ? 'thinking' : 'text', text: string(part['text'], what), ...given };
}

/** @type {(body: Json) => Read} */
function readChat(body) {
  if (body['max_tokens'] != null) needLimit(body['max_tokens'], 'max_tokens');
  const tools = list(body['tools'] ?? [], 'tools');
  /** @type {string[]} */
  const system = [];
  /** @type {Message[]} */
  const messages = [];
  const all = list(body['messages'], 'messages');
  for (const [at, { role, content, ...more }] of all.entries()) {
    const what = `messages[${at}]`;
    if (role === 'system' || role === 'developer') system.push(...texts(content, what));
    else if (role === 'tool') {
      const output = texts(content, what).join('');
      /** @type {Block} */
      const result = { kind: 'result', id: string(more['tool_call_id'], what), output, isError: false };
      const last = messages.at(-1);
      if (last?.role === 'tool') last.blocks.push(result);
      else messages.push({ role, blocks: [result] });
    } else if (role === 'assistant') {
      const thought = more['reasoning_content'];
      const calls = list(more['tool_calls'] ?? [], `${what}.tool_calls`).map((call) => {
        const { name, arguments: input } = object(call['function'], what);
        need(call['type'] === 'function', `${what}: a call has not the type function`);
        return {
          id: string(call['id'], what),
          name: string(name, what),
          input: parseArguments(input, `${what}: arguments`),
        };
      });
      need(content != null || calls.length > 0, `${what}: content or tool_calls are required`);
      /** @type {Block[]} */
      const blocks = [
        ...(thought == null ? [] : [/** @type {Block} */ ({ kind: 'thinking', text: string(thought, what) })]),
        ...texts(content ?? '', what).flatMap((text) =>
          text === '' ? [] : [/** @type {Block} */ ({ kind: 'text', text })],
        ),
        ...calls.map((call) => /** @type {Block} */ ({ kind: 'call', ...call })),
      ];
      messages.push({ role, blocks });
    } else {
      need(role === 'user', `${what}: unexpected role ${role}`);
      messages.push({ role, blocks: texts(content, what).map((text) => ({ kind: 'text', text })) });
    }
  }
  const functions = tools.map((tool) => object(tool['function'], 'tools: function'));
  return { system, messages, tools: readTools(functions, 'parameters'), segments: segmentsOf([...tools, ...all]) };
}

/** @type {Record<Api, (body: Json) => Read>} @throws {Refusal} for a request that the service cannot read */
export const READERS = { anthropic: readAnthropic, openai: readOpenai, google: readGoogle, chat: readChat };
