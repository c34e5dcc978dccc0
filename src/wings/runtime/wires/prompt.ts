import { isJsonObject, parseOrNull } from '../../../base/json.js';
import type { Message, MessageBlock, ProviderData } from '../core/messages.js';
import type { ChosenModel } from '../models.js';
import type { ModelRequest } from '../provider.js';
import type { SdkCall, SdkOptions } from './sdk.js';

type Prompt = SdkCall['prompt'];
type SdkMessage = Prompt[number];
type PartOf<Role extends SdkMessage['role']> = Exclude<Extract<SdkMessage, { role: Role }>['content'], string>[number];
/** The provider that a prompt is for. */
type To = Pick<ChosenModel, 'provider' | 'api'>;

/**
 * Marks a cache breakpoint: the provider caches all input up to it, which then costs a tenth. At most four are
 * accepted.
 */
const BREAKPOINT = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

/**
 * Converts the system texts and the history into the SDK's form (runtime.md, Provider). Omits data that only another
 * provider reads.
 */
export function toPrompt({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>, to: To): Prompt {
  const history: SdkMessage[] = [];
  for (const message of messages.flatMap((one) => turnMessage(one, to))) {
    const before = history.at(-1);
    // Templates of local models refuse two user messages in a row.
    if (before?.role === 'user' && message.role === 'user') before.content.push(...message.content);
    else history.push(message);
  }
  if (to.api !== 'anthropic') {
    // Templates of local models support one system message, at the beginning.
    const content = system.map(({ text }) => text).join('\n\n');
    return content === '' ? history : [{ role: 'system', content }, ...history];
  }
  const cached = system.findLastIndex((block) => block.cached);
  // Anthropic counts results and the user message after them as one message, so only the latter is marked.
  const marked = history.filter(({ role }, at) => role !== 'assistant' && history[at + 1]?.role !== 'user').slice(-2);
  return [
    ...system.map(({ text }, at) => ({ role: 'system' as const, content: text, ...(at === cached && BREAKPOINT) })),
    ...history.map((message) => (marked.includes(message) ? { ...message, ...BREAKPOINT } : message)),
  ];
}

/** Converts the tools into the SDK's form. */
export function toTools(tools: ModelRequest['tools'], { api }: To): NonNullable<SdkCall['tools']> {
  return tools.map(({ name, description, schema }, at) => ({
    ...{ type: 'function', name, description, inputSchema: schema },
    // Unless told otherwise, OpenAI makes the model fill in all optional values.
    ...(api === 'openai' && { strict: false }),
    ...(api === 'anthropic' && at === tools.length - 1 && BREAKPOINT),
  }));
}

/** Converts a message; returns no message if nothing of it is left. */
function turnMessage({ role, blocks }: Message, to: To): SdkMessage[] {
  // Most providers accept neither a system message within a history nor an empty text.
  const texts = blocks.flatMap((block) => (block.type === 'text' && block.text.trim() !== '' ? block : []));
  const message: SdkMessage =
    role === 'assistant'
      ? { role, content: blocks.flatMap((block) => turnAnswered(block, to)) }
      : role === 'tool'
        ? { role, content: blocks.flatMap((block) => turnResult(block, to)) }
        : { role: 'user', content: texts.map(({ type, text }) => ({ type, text })) };
  return message.content.length === 0 ? [] : [message];
}

function turnAnswered(block: MessageBlock, to: To): PartOf<'assistant'>[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text, ...giveBack(block.attached, to) }];
    case 'thinking':
      if (block.attached?.provider !== to.provider) return [];
      return [{ type: 'reasoning', text: block.thinking, ...giveBack(block.attached, to) }];
    case 'tool_use': {
      const { id, name: toolName, attached } = block;
      const input = parseOrNull(block.input);
      const call = { toolCallId: toId(id, to), toolName, input: isJsonObject(input) ? input : {} };
      return [{ type: 'tool-call', ...call, ...giveBack(attached, to) }];
    }
    case 'tool_result':
      return [];
    default:
      return block satisfies never;
  }
}

function turnResult(block: MessageBlock, to: To): PartOf<'tool'>[] {
  if (block.type !== 'tool_result') return [];
  const output = { type: block.is_error ? ('error-text' as const) : ('text' as const), value: block.output };
  return [{ type: 'tool-result', toolCallId: toId(block.tool_use_id, to), toolName: block.tool_name, output }];
}

function giveBack(attached: ProviderData | undefined, { provider }: To): { providerOptions?: SdkOptions } {
  return attached?.provider === provider ? { providerOptions: attached.options as SdkOptions } : {};
}

/** Adapts a call's id: Anthropic's and OpenAI's APIs reject some characters and lengths that other providers use. */
function toId(id: string, { api }: To): string {
  return api === 'anthropic' || api === 'openai' ? id.replace(/[^\w-]/g, '_').slice(-64) : id;
}
