import { seal } from './provider-write.mjs';

/** The rules that the four services share for a conversation: for calls, their results, and thoughts. */

/**
 * @typedef {import('./provider.mjs').Api} Api
 * @typedef {import('./provider-read.mjs').Message} Message
 * @typedef {import('./provider-read.mjs').Block} Block
 */

/** The reason why a service refuses a request. */
export class Refusal extends Error {
  /**
   * @param {string} reason
   * @param {number} [status]
   */
  constructor(reason, status = 400) {
    super(reason);
    this.status = status;
  }
}

/**
 * @type {(holds: unknown, reason: string, status?: number) => asserts holds}
 * @throws {Refusal}
 */
export function need(holds, reason, status) {
  if (!holds) throw new Refusal(reason, status);
}

/**
 * Checks a conversation.
 * @param {Api} api
 * @param {Message[]} messages
 * @param {ReadonlyMap<string, string>} thoughts the thought that came before each call, by the call's id
 * @throws {Refusal} if the service refuses it
 */
export function judge(api, messages, thoughts) {
  need(messages.length > 0, 'there are no messages');
  if (api === 'anthropic' || api === 'google') need(messages[0]?.role === 'user', 'the first message is not of a user');
  judgePairs(messages);
  // Thoughts have to be sent back with the calls made since the user's last message.
  const turn = messages.findLastIndex(({ role }) => role === 'user');
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role !== 'assistant') continue;
    if (api !== 'chat') for (const block of blocks) judgeSeal(api, block, `message ${at}`);
    if (api === 'anthropic') need(blocks.at(-1)?.kind !== 'thinking', `message ${at}: the final block is thinking`);
    if (at > turn)
      need(isThoughtBack(api, blocks, thoughts), `message ${at}: a thought before a call has not come back`);
  }
}

/**
 * Checks that the results of a message's calls are all in the next message, in the order of the calls.
 * @param {Message[]} messages
 */
function judgePairs(messages) {
  const seen = new Set();
  /** @type {string[]} */
  let open = [];
  for (const [at, { role, blocks }] of messages.entries()) {
    if (role === 'tool') {
      const ids = blocks.map((block) => (block.kind === 'result' ? block.id : '')).join(' ');
      need(ids === open.join(' '), `message ${at}: results of ${ids}, but the calls are ${open.join(' ') || 'none'}`);
      open = [];
      continue;
    }
    need(open.length === 0, `message ${at}: no results of the calls ${open.join(' ')}`);
    open = blocks.flatMap((block) => (block.kind === 'call' ? [block.id] : []));
    for (const id of open) {
      need(/^[A-Za-z0-9_-]+$/.test(id), `message ${at}: the id ${id} does not match ^[A-Za-z0-9_-]+$`);
      need(!seen.has(id), `message ${at}: ids of calls must be unique: ${id}`);
      seen.add(id);
    }
  }
  need(open.length === 0, `no results of the calls ${open.join(' ')}`);
}

/** @type {(api: Api, block: Block, what: string) => void} */
function judgeSeal(api, block, what) {
  if (block.kind === 'result') return;
  const isDue = api !== 'google' && block.kind === 'thinking';
  if (block.seal === undefined && !isDue) return;
  const sealed = block.kind === 'call' ? block.id : block.text;
  need(block.seal === seal(api, sealed), `${what}: invalid signature in a ${block.kind} block`);
}

/** @type {(api: Api, blocks: Block[], thoughts: ReadonlyMap<string, string>) => boolean} */
function isThoughtBack(api, blocks, thoughts) {
  const first = blocks.findIndex(({ kind }) => kind === 'call');
  const call = blocks[first];
  const thought = call?.kind === 'call' ? thoughts.get(call.id) : undefined;
  if (call?.kind !== 'call' || thought === undefined) return true;
  if (api === 'google') return call.seal !== undefined;
  return blocks.slice(0, first).some((block) => block.kind === 'thinking' && block.text === thought);
}
