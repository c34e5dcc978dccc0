import { omitUndefined } from '../../../base/defined.js';
import { isRecord, type JsonObject } from '../../../base/json.js';
import type { CallBlock, MessageBlock, TextBlock, ThinkingBlock } from '../core/messages.js';
import type { ChosenModel } from '../models.js';
import { type AnswerPart, ProviderFault, type StopReason } from '../provider.js';
import type { SdkPart, SdkStream } from './sdk.js';

type PartOf<Type extends SdkPart['type']> = Extract<SdkPart, { type: Type }>;
type FromModel = Exclude<MessageBlock, { type: 'tool_result' }>;
type Metadata = Pick<PartOf<'tool-call'>, 'providerMetadata'> & { type: string };

/** What the SDK's reasons for the end of an answer mean here; null if the answer is then incomplete. */
const STOPS: Readonly<Record<PartOf<'finish'>['finishReason']['unified'], StopReason | null>> = {
  ...{ stop: 'end', 'tool-calls': 'calls', length: 'length', 'content-filter': 'refused' },
  ...{ error: null, other: null },
};

/**
 * Events that the Messages API is known to send. Of the providers' packages only Anthropic's reports any other event as
 * an error; `nameUnknown` recognizes that error, which then becomes a warning.
 */
const EVENT = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;

/**
 * Reads an answer to its end, by the table in runtime.md, Provider. Blocks are in the order in which they began,
 * regardless of which ended first.
 * @throws ProviderFault for an answer without a proper end, or with an error in it
 */
export async function readAnswer(
  stream: SdkStream,
  { provider, api }: Pick<ChosenModel, 'provider' | 'api'>,
  { onPart, toFault }: { onPart: () => void; toFault: (error: unknown) => ProviderFault },
): Promise<AnswerPart[]> {
  const answer = new Answer(provider);
  for await (const part of stream) {
    onPart();
    switch (part.type) {
      case 'stream-start':
        for (const warning of part.warnings)
          answer.warn('message' in warning ? warning.message : (warning.details ?? warning.feature));
        break;
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        answer.addText(part);
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        answer.addThought(part);
        break;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-call':
        answer.addCall(part);
        break;
      case 'error': {
        const event = api === 'anthropic' ? nameUnknown(part.error) : null;
        if (event === null) throw toFault(part.error);
        answer.warn(`The provider sent an unknown event: ${event}.`);
        break;
      }
      case 'finish':
        return answer.finish(part);
    }
  }
  throw new ProviderFault('protocol', 'The answer was cut off.');
}

/** Returns the name of the unknown event that an error reports; null for any other error. */
function nameUnknown(error: unknown): string | null {
  if (!isRecord(error) || error['name'] !== 'AI_TypeValidationError' || !isRecord(error['value'])) return null;
  const { type } = error['value'];
  return typeof type === 'string' && !EVENT.test(type) ? type.slice(0, 100) : null;
}

/** Types of parts that end a block. */
const ENDS = ['text-end', 'reasoning-end', 'tool-call'];

class Answer {
  readonly #warnings: AnswerPart[] = [];
  readonly #blocks: FromModel[] = [];
  /** Blocks that have not ended. */
  readonly #open = new Set<FromModel>();
  readonly #texts = new Map<string, TextBlock>();
  readonly #thoughts = new Map<string, ThinkingBlock>();
  readonly #calls = new Map<string, CallBlock>();

  constructor(private readonly provider: string) {}

  warn(text: string): void {
    this.#warnings.push({ type: 'warning', text });
  }

  addText(part: PartOf<'text-start' | 'text-delta' | 'text-end'>): void {
    // Some packages give one id to several blocks, one after the other, so `text-start` always begins a new block.
    const block = this.#find(this.#texts, part.id, { type: 'text', text: '' }, part.type === 'text-start');
    if (part.type === 'text-delta') block.text += part.delta;
    this.#attach(block, part);
  }

  addThought(part: PartOf<'reasoning-start' | 'reasoning-delta' | 'reasoning-end'>): void {
    // Thoughts are sent back even if nothing is attached, because some local models require that.
    const attached = { provider: this.provider, options: {} };
    const isNew = part.type === 'reasoning-start';
    const block = this.#find(this.#thoughts, part.id, { type: 'thinking', thinking: '', attached }, isNew);
    if (part.type === 'reasoning-delta') block.thinking += part.delta;
    this.#attach(block, part);
    const signature = part.providerMetadata?.['anthropic']?.['signature'];
    if (typeof signature === 'string') block.signature = signature;
  }

  addCall(part: PartOf<'tool-input-start' | 'tool-input-delta' | 'tool-call'>): void {
    const id = part.type === 'tool-call' ? part.toolCallId : part.id;
    const block = this.#find(this.#calls, id, { type: 'tool_use', id, name: '', input: '' });
    if (part.type === 'tool-input-delta') block.input += part.delta;
    else block.name = part.toolName;
    // If the model sent no input, the package reports `{}`; `input` then stays empty.
    if (part.type === 'tool-call' && part.input !== '{}') block.input = part.input;
    this.#attach(block, part);
  }

  finish({ finishReason: { unified, raw }, usage: { inputTokens, outputTokens } }: PartOf<'finish'>): AnswerPart[] {
    const stop = unified === 'stop' && raw === 'pause_turn' ? 'paused' : STOPS[unified];
    if (stop === null)
      throw new ProviderFault('protocol', `The answer ended for an unexpected reason: ${raw ?? unified}.`);
    if (this.#open.size > 0 && stop !== 'length' && stop !== 'refused')
      throw new ProviderFault('protocol', 'A part of the answer was cut off.');
    const usage = omitUndefined({
      // The packages subtract cached tokens from all input tokens; a provider may not have included them there.
      input_tokens: inputTokens.noCache === undefined ? undefined : Math.max(0, inputTokens.noCache),
      output_tokens: outputTokens.total,
      cache_creation_input_tokens: inputTokens.cacheWrite,
      cache_read_input_tokens: inputTokens.cacheRead,
    });
    const blocks = this.#blocks.filter((block) => block.type !== 'text' || block.text !== '');
    return [...this.#warnings, ...blocks, { type: 'usage', usage }, { type: 'end', stop }];
  }

  #find<T extends FromModel>(known: Map<string, T>, id: string, fresh: T, isNew = false): T {
    const found = isNew ? undefined : known.get(id);
    if (found !== undefined) return found;
    this.#blocks.push(fresh);
    this.#open.add(fresh);
    known.set(id, fresh);
    return fresh;
  }

  /** Adds a part's metadata to that of earlier parts of the block; later values override earlier ones. */
  #attach(block: FromModel, { type, providerMetadata: metadata }: Metadata): void {
    if (ENDS.includes(type)) this.#open.delete(block);
    if (metadata === undefined) return;
    const options: JsonObject = { ...block.attached?.options };
    for (const [name, values] of Object.entries(metadata))
      options[name] = { ...(options[name] as JsonObject | undefined), ...(values as JsonObject) };
    block.attached = { provider: this.provider, options };
  }
}
