// A test server for the Model Context Protocol: `node mcp-server.mjs MODE` serves stdio; tests over HTTP call `answer`.
import { createInterface } from 'node:readline';

const schema = { $schema: 'x', type: 'object', properties: { a: { type: 'string', description: 'a\u202eb' } } };
/** @param {string} name */
const tool = (name, more = {}) => ({ name, description: `does ${name}\u200b`, inputSchema: schema, ...more });

/** @type {Record<string, object[]>} */
const TOOLS = {
  plain: ['echo', 'all', 'fails', 'throws', 'sleeps', 'env', 'dies'].map((name) => tool(name)),
  many: Array.from({ length: 500 }, (_, at) => tool(`t${at}`)),
  hostile: [
    ...[
      '../../etc',
      'a b; rm',
      'x'.repeat(200),
      'Echo',
      'echo',
      'echo',
      '',
      'ä',
      'ö',
      '__proto__',
      'constructor',
      'a\u0000b',
    ].map((name) => tool(name)),
    tool('long', { description: 'd'.repeat(100_000) }),
    tool('large', { inputSchema: { type: 'object', description: 'd'.repeat(100_000) } }),
  ],
};

const CONTENT = [
  { type: 'text', text: 'a\u202eb' },
  { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  { type: 'audio', mimeType: 'audio/wav', data: 'AAAAAAAA' },
  { type: 'resource_link', name: 'n', uri: 'file:///n' },
  { type: 'resource', resource: { uri: 'file:///t', text: 'inside' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
];

/** @param {string} name @param {unknown} given @returns {object | null} */
function call(name, given) {
  switch (name) {
    case 'all':
      return { result: { content: CONTENT } };
    case 'fails':
      return { result: { content: [{ type: 'text', text: 'no luck' }], isError: true } };
    case 'throws':
      return { error: { code: -32000, message: 'broken inside' } };
    case 'env':
      return { result: { content: [], structuredContent: { own: process.env.OWN, given: process.env.GIVEN } } };
    case 'sleeps':
      return null;
    case 'dies':
      return process.exit(1);
    default:
      return { result: { content: [{ type: 'text', text: `${name} ${JSON.stringify(given)}` }] } };
  }
}

/**
 * Returns the answer to a message; null if there is none.
 * @param {{ id?: number, method: string, params?: any }} message
 * @param {string} mode
 */
export function answer({ id, method, params }, mode) {
  if (id === undefined) return null;
  /** @param {object | null} body */
  const reply = (body) => body && { jsonrpc: '2.0', id, ...body };
  switch (method) {
    case 'initialize': {
      const capabilities = mode === 'toolless' ? {} : { tools: {} };
      const info = { name: 's', version: '1' };
      return reply({ result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: info } });
    }
    case 'tools/list':
      return mode === 'silent-list' ? null : reply({ result: { tools: TOOLS[mode] ?? TOOLS.plain } });
    case 'tools/call':
      return reply(call(params.name, params.arguments));
    default:
      return reply({ error: { code: -32601, message: 'unknown' } });
  }
}

const [, program = '', mode = 'plain'] = process.argv;
if (program.endsWith('mcp-server.mjs')) {
  if (mode === 'exits') {
    process.stderr.write('cannot begin\n');
    process.exit(3);
  }
  if (mode === 'garbage') process.stdout.write('hello\n{"jsonrpc"\n[]\n');
  for await (const line of createInterface(process.stdin)) {
    const said = mode === 'silent' ? null : answer(JSON.parse(line), mode);
    if (said !== null) process.stdout.write(`${JSON.stringify(said)}\n`);
  }
}
