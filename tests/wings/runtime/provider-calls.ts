import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Api } from '../../support/provider.mjs';

/** Calls to the loopback provider, made with the packages for its four services. */

export const APIS: readonly Api[] = ['anthropic', 'openai', 'google', 'chat'];

export type Model = ReturnType<ReturnType<typeof createOpenAI>['responses']>;
export type Prompt = Parameters<Model['doStream']>[0]['prompt'];
type Assistant = Extract<Prompt[number], { role: 'assistant' }>['content'];
type Options = Assistant[number]['providerOptions'];
type Block = { type: 'text' | 'reasoning'; text: string; providerOptions?: NonNullable<Options> };
type StreamPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P extends { type: string }> ? P : never;
type Finish = Extract<StreamPart, { type: 'finish' }>;

/** Opens the model of a service, at the address of the loopback provider. */
export function openModel(api: Api, url: string, fetch: typeof globalThis.fetch = globalThis.fetch): Model {
  const settings = { apiKey: 'secret', fetch };
  switch (api) {
    case 'anthropic':
      return createAnthropic({ ...settings, baseURL: `${url}/v1` })('model-1');
    case 'openai':
      return createOpenAI({ ...settings, baseURL: `${url}/v1` }).responses('gpt-5-loopback');
    case 'google':
      return createGoogleGenerativeAI({ ...settings, baseURL: `${url}/v1beta` })('gemini-3-loopback');
    case 'chat':
      return createOpenAICompatible({ ...settings, name: 'chat', baseURL: `${url}/v1`, includeUsage: true })('model-1');
  }
}

/** An answer as it was received; the next request sends its `content` back. */
export interface Heard {
  content: Assistant;
  errors: unknown[];
  finish: Finish | undefined;
}

const TOOLS = ['add', 'look'].map((name) => ({
  type: 'function' as const,
  name,
  inputSchema: { type: 'object' as const, properties: {} },
}));

/** Sends a request, and reads the answer to its end. @throws any error from the package, before or during the stream */
export async function ask(model: Model, prompt: Prompt, more: object = {}): Promise<Heard> {
  const { stream } = await model.doStream({
    prompt,
    tools: TOOLS,
    maxOutputTokens: 1_000,
    providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
    ...more,
  });
  const heard: Heard = { content: [], errors: [], finish: undefined };
  const open = new Map<string, Block>();
  for await (const part of stream as unknown as AsyncIterable<StreamPart>) hear(heard, open, part);
  return heard;
}

function hear(heard: Heard, open: Map<string, Block>, part: StreamPart): void {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start': {
      const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
      open.set(part.id, block);
      heard.content.push(block);
      attach(block, part.providerMetadata);
      break;
    }
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end': {
      const block = open.get(part.id);
      if (block === undefined) throw new Error(`${part.type} of nothing`);
      if ('delta' in part) block.text += part.delta;
      attach(block, part.providerMetadata);
      break;
    }
    case 'tool-call': {
      const { toolCallId, toolName, input, providerMetadata } = part;
      const block: Assistant[number] = { type: 'tool-call', toolCallId, toolName, input: read(input) };
      heard.content.push(block);
      attach(block, providerMetadata);
      break;
    }
    case 'error':
      heard.errors.push(part.error);
      break;
    case 'finish':
      heard.finish = part;
  }
}

function attach(block: Assistant[number], metadata: Options): void {
  for (const [name, options] of Object.entries(metadata ?? {}))
    block.providerOptions = { ...block.providerOptions, [name]: { ...block.providerOptions?.[name], ...options } };
}

function read(input: string): unknown {
  try {
    return JSON.parse(input === '' ? '{}' : input);
  } catch {
    return input;
  }
}

/** Builds a user's message. */
export const say = (text: string): Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] });

/** Adds cache breakpoints to the last two user or tool messages, for the service that supports them. */
export function mark(prompt: Prompt): Prompt {
  const places = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : [])).slice(-2);
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return prompt.map((message, at) => (places.includes(at) ? { ...message, providerOptions } : message));
}

/** Returns the answer as the next request sends it back, followed by a result for each call. */
export function goOn({ content }: Heard): Prompt {
  const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  const results = calls.map(({ toolCallId, toolName, input }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'text' as const, value: `${toolName} of ${JSON.stringify(input)}` },
  }));
  return [
    { role: 'assistant', content },
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
  ];
}
