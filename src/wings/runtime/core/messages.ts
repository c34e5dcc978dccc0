import type { JsonObject } from '../../../base/json.js';

/** The conversation as a session holds it (runtime.md, Sessions). The published form is the same, without what only one provider reads. */

/** Tokens of one request, or of several. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** What a provider attached to a block: it goes back to that provider alone, as it came. */
export interface Attached {
  provider: string;
  options: JsonObject;
}

interface FromProvider {
  attached?: Attached;
}

/** A text. */
export interface TextBlock extends FromProvider {
  type: 'text';
  text: string;
}

/** What a model thought before it answered; empty where the provider keeps it to itself. */
export interface ThinkingBlock extends FromProvider {
  type: 'thinking';
  thinking: string;
  signature?: string;
}

/** A call of a tool. `input` is the text as the model sent it, which may be no JSON. */
export interface CallBlock extends FromProvider {
  type: 'tool_use';
  id: string;
  name: string;
  input: string;
}

/** What a call came to. */
export interface ResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  tool_name: string;
  output: string;
  is_error: boolean;
}

export type Block = TextBlock | ThinkingBlock | CallBlock | ResultBlock;

/** `tool`: the results of the calls of the message before, one each, in their order. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  blocks: Block[];
  /** Of the request that an assistant's message answered. */
  usage?: Usage;
}

/** No tokens. */
export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
