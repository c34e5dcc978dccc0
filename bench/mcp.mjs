// What the tools cost a session: starting the server, a call to the running server, and the tool descriptions that each
// session gets.
import { createProject } from '../tests/support/project.mjs';
import { answer, ratio, Samples, shuffled, timedCall, timedFloor } from './measure.mjs';

/**
 * A server is also measured while it answers this many calls of a setter. The time that they add, divided by their
 * number, is the time of one call.
 */
const SETTERS = 10;

const LIST = [
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }],
  ['tools/list', {}],
];

/** Measures the tool server, and compares a setter tool with the command that does the same. */
export function mcp({ rounds }) {
  const samples = new Samples();
  const project = createProject();
  let decided = 0;
  const text = () => `Sessions live in store ${decided++}`;
  const setter = () => ['tools/call', { name: 'transfer_set_decision', arguments: { text: text() } }];
  try {
    for (let round = 0; round < rounds; round++) {
      shuffled([
        () => samples.add('floor', timedFloor(project)),
        () => samples.add('decide', timedCall(project, ['memory', 'decide', '--text', text()])),
        () => samples.add('list', timedCall(project, ['mcp'], write(LIST))),
        () =>
          samples.add(
            'setters',
            timedCall(project, ['mcp'], write([...LIST, ...Array.from({ length: SETTERS }, setter)])),
          ),
      ]);
    }
    const [, told] = answer(project, ['mcp'], write(LIST)).trim().split('\n');
    const [floor, decide, list] = ['floor', 'decide', 'list'].map((kind) => samples.median(kind));
    const warm = (samples.median('setters') - list) / SETTERS;
    return {
      title: 'Tools of the Model Context Protocol',
      rows: [
        ratio('mcp to the answer of tools/list, and its end', 7, list, floor),
        [`a setter in a warm server, to memory decide  (${warm.toFixed(1)} ms)`, 0.3, warm / decide, { unit: '×' }],
        ['bytes of tools/list', 4500, Buffer.byteLength(told)],
      ],
    };
  } finally {
    project.remove();
  }
}

function write(requests) {
  return requests.map(([method, params], id) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`).join('');
}
