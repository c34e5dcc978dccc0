import type { Client } from '@modelcontextprotocol/client';
import { type Json, parseOrNull } from '../../base/json.js';
import {
  type CaseEnvironment,
  type CaseTarget,
  readRefusal,
  renderStderrEnd,
  TargetError,
  type TargetReply,
} from './target.js';

/** Opens an MCP server as a target. The server is started at the first call, and ended with the case. */
export function openServerTarget(argv: readonly string[], site: CaseEnvironment): CaseTarget {
  let opened: Promise<{ client: Client; said: () => string }> | null = null;
  return {
    async call({ name, params }) {
      opened ??= connect(argv, site);
      const { client, said } = await opened;
      const { ProtocolError } = await import('@modelcontextprotocol/client');
      try {
        const timeout = site.seconds * 1000;
        return read(await client.callTool({ name, arguments: params }, { timeout, signal: site.signal }));
      } catch (error) {
        // If the server answers a call with a protocol error, that counts as a refusal.
        if (error instanceof ProtocolError) return { value: { error: error.message }, refused: true };
        throw toTargetError(error, `${name}: `, said());
      }
    },
    async close() {
      await opened?.then(({ client }) => client.close()).catch(() => {});
    },
  };
}

async function connect([program = '', ...args]: readonly string[], { root, env, signal, seconds }: CaseEnvironment) {
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  const inherited = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const transport = new StdioClientTransport({
    command: program,
    args,
    cwd: root,
    env: Object.fromEntries(inherited),
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (bytes: Buffer) => {
    text = `${text}${bytes.toString('utf8')}`.slice(-4_000);
  });
  const client = new Client({ name: 'dev-cli-conformance', version: '1' });
  try {
    await client.connect(transport, { timeout: seconds * 1000, signal });
  } catch (error) {
    await client.close().catch(() => {});
    throw toTargetError(error, 'the server did not start: ', text);
  }
  return { client, said: () => text };
}

function read({ structuredContent, content, isError }: Awaited<ReturnType<Client['callTool']>>): TargetReply {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const parsed = structuredContent ?? parseOrNull(text);
  const refusal = readRefusal(parsed) ?? (isError === true ? text : null);
  if (refusal !== null) return { value: { error: refusal }, refused: true };
  return { value: (parsed ?? text) as Json, refused: false };
}

function toTargetError(error: unknown, about: string, stderr: string): TargetError {
  const why = error instanceof Error ? error.message : String(error);
  return new TargetError(`${about}${why}${renderStderrEnd(stderr)}`);
}
