import { isRecord } from '../../../base/json.js';
import { findMisfit, type OutlineFault, type OutlineSchema } from '../../../documents/outline.js';
import type { Message, MessageBlock } from './messages.js';
import { findResult, isCall, refuseCall } from './pairs.js';
import type { Published } from './published-schema.js';

/** Converts sessions to a form that other programs can read, and back (runtime.md, Sessions). */

/** A fault in an imported session. */
export interface PublishedFault {
  /** JSON pointer. */
  pointer: string;
  problem: string;
}

const VERSION = 1;
/** Maximum number of faults reported. */
const TOLD = 50;
const OPEN = 'not run: the session was exported before this call had a result.';

/** In which roles' messages each type of block may occur. */
const ROLES: Readonly<Record<MessageBlock['type'], readonly Message['role'][]>> = {
  text: ['system', 'user', 'assistant'],
  thinking: ['assistant'],
  tool_use: ['assistant'],
  tool_result: ['tool'],
};

/** Renders a history in the published form, without data that only one provider reads. */
export function toPublished(messages: readonly Message[]): Published {
  const plain = (block: MessageBlock): MessageBlock => {
    if (block.type === 'tool_result') return block;
    const { attached: _, ...rest } = block;
    return rest;
  };
  return { version: VERSION, messages: messages.map((one) => ({ ...one, blocks: one.blocks.map(plain) })) };
}

/**
 * Parses a history in the published form. A call without a result gets an error as its result.
 * @param value any JSON
 * @param schema `PublishedSchema`, as generated
 */
export function fromPublished(
  value: unknown,
  schema: OutlineSchema,
): { messages: Message[] } | { faults: PublishedFault[] } {
  const version = isRecord(value) ? value['version'] : undefined;
  if (typeof version === 'number' && version > VERSION)
    return { faults: [{ pointer: '/version', problem: `is ${version}; this dev-cli reads ${VERSION}` }] };
  const { messages: list, ...others } = schema.properties ?? {};
  const outer = findMisfit({ ...schema, properties: { ...others, messages: { type: 'array' } } }, value);
  if (outer !== null) return { faults: [toFault('', outer)] };
  const { messages: given } = value as { messages: unknown[] };
  const faults = given.flatMap((one, at) => {
    const fault = findMisfit(list?.items ?? {}, one);
    return fault === null ? [] : [toFault(`/messages/${at}`, fault)];
  });
  if (faults.length > 0) return { faults: faults.slice(0, TOLD) };
  const { messages } = value as Published;
  const unpaired = messages.flatMap((one, at) => findUnpaired(one, messages[at - 1], `/messages/${at}`));
  return unpaired.length > 0 ? { faults: unpaired.slice(0, TOLD) } : { messages: closeCalls(messages) };
}

const toFault = (pointer: string, { at, problem }: OutlineFault): PublishedFault => ({
  pointer: `${pointer}${at}`,
  problem,
});

type Given = Published['messages'][number];

function findUnpaired({ role, blocks }: Given, before: Given | undefined, pointer: string): PublishedFault[] {
  const asked = role === 'tool' ? (before?.blocks.filter(isCall) ?? []).map(({ id }) => id) : [];
  const seen = new Set<string>();
  return blocks.flatMap((block, at) => {
    const tell = (problem: string): PublishedFault[] => [{ pointer: `${pointer}/blocks/${at}`, problem }];
    if (!ROLES[block.type].includes(role)) return tell(`a message with the role ${role} cannot have a ${block.type}`);
    if (block.type !== 'tool_use' && block.type !== 'tool_result') return [];
    const id = block.type === 'tool_use' ? block.id : block.tool_use_id;
    if (seen.has(id)) return tell('its id occurs twice in this message');
    seen.add(id);
    return block.type === 'tool_result' && !asked.includes(id) ? tell('the message before it has no such call') : [];
  });
}

/** After each message with calls, inserts one message with their results, in the order of the calls. */
function closeCalls(given: readonly Given[]): Message[] {
  return given.flatMap(({ usage, ...one }, at): Message[] => {
    const results = one.blocks.filter(isCall).map((call) => findResult(call, given[at + 1]) ?? refuseCall(call, OPEN));
    if (one.role === 'tool') return [];
    const message = { ...one, ...(usage !== null && usage !== undefined && { usage }) };
    return [message, ...(results.length === 0 ? [] : [{ role: 'tool' as const, blocks: results }])];
  });
}
