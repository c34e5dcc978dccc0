import type { JsonObject } from '../../../base/json.js';

/**
 * The conversation as a session stores it (runtime.md, Sessions). Its published form leaves out what only one provider
 * can read.
 */

/** Tokens used by one request or several. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** Data that a provider attached to a block; it is sent back, unchanged, to that provider only. */
export interface ProviderData {
  provider: string;
  options: JsonObject;
}

interface FromProvider {
  attached?: ProviderData;
}

/** A block of text. */
export interface TextBlock extends FromProvider {
  type: 'text';
  text: string;
}

/** A model's thoughts before its answer; empty if the provider does not reveal them. */
export interface ThinkingBlock extends FromProvider {
  type: 'thinking';
  thinking: string;
  signature?: string;
}

/** A tool call. `input` is the text as the model sent it, which may be invalid JSON. */
export interface CallBlock extends FromProvider {
  type: 'tool_use';
  id: string;
  name: string;
  input: string;
}

/** The result of a call. */
export interface ResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  tool_name: string;
  output: string;
  is_error: boolean;
}

export type MessageBlock = TextBlock | ThinkingBlock | CallBlock | ResultBlock;

/** A message. Role `tool` holds the results of the previous message's calls, one each, in their order. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  blocks: MessageBlock[];
  /** Usage of the request that this assistant message answered. */
  usage?: Usage;
}

/** Zero usage. */
export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
