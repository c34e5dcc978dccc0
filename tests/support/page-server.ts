import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PageDocument, RunChange, RunPage, RunsPage } from '../../src/wings/page/wire.js';
import { CHECKOUT } from './project.mjs';

/** What the test server sends; tests may change it while the server runs. */
export interface PageStage {
  runs: RunsPage;
  pages: Map<string, RunPage>;
  /** Finds a document by the part of the address after the run's name. */
  document: (address: string) => PageDocument | null;
  /** Whether this server accepts the page's session. */
  isKnown: boolean;
  /** If set, the server answers POST requests only once it resolves. */
  hold?: Promise<void>;
  /** Returns the error with which an answer or a number is refused; null if it is accepted. */
  refuse: (address: string, body: Record<string, unknown>) => { code: string; message: string; fix?: string } | null;
}

/** Reads the built page. */
export function readShell(): string {
  return readFileSync(join(CHECKOUT, 'dist/page.html'), 'utf8');
}

/** Returns the policy under which the page is served (view-page.md, In the browser). */
export function policyOf(shell: string): string {
  const hash = (name: string) => {
    const [, inner = ''] = new RegExp(`<${name}[^>]*>(.*?)</${name}>`, 's').exec(shell) ?? [];
    return `'sha256-${createHash('sha256').update(inner).digest('base64')}'`;
  };
  return `default-src 'none'; script-src ${hash('script')}; style-src ${hash('style')}; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
}

/** Starts a server that serves the built page with a test's data. */
export async function startPageServer(stage: PageStage) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const streams = new Map<ServerResponse, string>();
  const shell = readShell();

  const json = (response: ServerResponse, body: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const fail = (response: ServerResponse, status: number, code: string, message: string): void =>
    json(response, { error: { code, message } }, status);

  /** @param first a document that is sent at once */
  function follow(response: ServerResponse, name: string, first?: object): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(first === undefined ? '\n' : `${JSON.stringify(first)}\n`);
    streams.set(response, name);
    response.on('close', () => streams.delete(response));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url ?? '';
    asked.push(`${request.method} ${address}`);
    if (address === '/') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policyOf(shell) }).end(shell);
      return;
    }
    if (address === '/session') return json(response, { session: 's' });
    const isKnown = stage.isKnown && request.headers['x-dev-cli-session'] === 's';
    if (!isKnown) return fail(response, 401, 'USAGE', 'no session');
    if (address === '/events') return follow(response, '', stage.runs);
    const [, name = '', rest = ''] = /^\/runs\/([^/?]+)\/?(.*)$/.exec(address) ?? [];
    const page = stage.pages.get(decodeURIComponent(name));
    if (page === undefined) return fail(response, 404, 'RUN_NOT_FOUND', `There is no run "${name}".`);
    await answerRun(page, rest, request, response);
  }

  /** @param rest the part of the address after the run's name */
  async function answerRun(
    page: RunPage,
    rest: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (rest === '' || rest.startsWith('?')) return json(response, page);
    if (rest.startsWith('events')) {
      return follow(response, page.name);
    }
    if (request.method === 'POST') {
      await stage.hold;
      const error = stage.refuse(rest, JSON.parse(await text(request)));
      if (error !== null) return json(response, { error }, 409);
      return json(response, rest === 'answer' ? { id: 'p1', until: Date.now() + 300_000 } : { ok: true });
    }
    const found = stage.document(rest);
    if (found === null) return fail(response, 404, 'DOCUMENT_MISSING', 'The document is gone.');
    json(response, found);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    /** `METHOD address` of each request. */
    asked,
    /** Sends a change to the clients that follow the run. */
    push(name: string, change: RunChange): void {
      for (const [response, of] of streams) if (of === name) response.write(`${JSON.stringify(change)}\n`);
    },
    stop,
    /** Listens again on the same port, after `stop`. */
    restart: () => listen(port),
  };
}
