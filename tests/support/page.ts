import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '../adversarial/binary/victims.js';
import { BINARY, CHECKOUT, type Project } from './project.mjs';

/** A stub for the built page: one script, one style, no data. */
const STUB = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<style>a{}</style>
</head>
<body>
<script type="module">0</script>
</body>
</html>
`;

/** Writes the stub if dist/page.html is missing, because dev-cli was built without the page's client. */
export function ensurePage(): void {
  const path = join(CHECKOUT, 'dist/page.html');
  if (!existsSync(path)) writeFileSync(path, STUB);
}

/** The parts of a request that a test gives. */
export interface Given {
  method?: string;
  headers?: Record<string, string>;
  body?: string | object;
}
export interface Asked {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: () => Record<string, unknown>;
}

/** Sends a request to a server without a browser, so that a test can give any headers. */
export function ask(host: string, path: string, { method, headers = {}, body }: Given = {}): Promise<Asked> {
  const [hostname, port] = host.split(':');
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const type: Record<string, string> = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        agent: false,
        path,
        method: method ?? (text === undefined ? 'GET' : 'POST'),
        headers: { ...type, ...headers },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) });
        });
      },
    );
    // A server that refuses a body closes the connection before the whole body was sent, maybe after it has answered.
    sent.on('socket', (socket) => socket.on('error', () => {}));
    sent.on('error', reject).end(text);
  });
}

/** A running `dev-cli view`. */
export class View {
  shown = '';
  exit: number | null = null;
  #session = '';
  readonly #child;

  /** @param terminal whether it runs at a person's terminal; otherwise its output is a pipe */
  constructor(project: Project, words: string[], { terminal = false, env = {} as NodeJS.ProcessEnv } = {}) {
    ensurePage();
    const call = [process.execPath, BINARY, 'view', '--no-open', ...words].map((word) => `"${word}"`).join(' ');
    // The first line of output is the pid of the process to which signals are sent.
    const line = `sh -c 'echo pid $$; exec ${call}'`;
    const kept = (file: string) => `stty -a > "${join(project.home, file)}"`;
    const shell = `stty rows 40 cols 200; ${kept('before')}; ${line}; exit=$?; ${kept('after')}; exit $exit`;
    const [program = '', ...args] = terminal ? ['script', '-qefc', shell, '/dev/null'] : ['sh', '-c', line];
    this.#child = spawn(program, args, {
      cwd: project.root,
      env: { ...project.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.shown += text;
      });
    this.#child.on('close', (exit) => {
      this.exit = exit ?? -1;
    });
  }

  /** `127.0.0.1:PORT`. */
  get host(): string {
    return /http:\/\/([^/]+)\//.exec(this.shown)?.[1] ?? '';
  }

  /** The ticket of the newest link. */
  get ticket(): string {
    return [...this.shown.matchAll(/#ticket=([0-9a-f]+)/g)].at(-1)?.[1] ?? '';
  }

  /** The number that was shown last. */
  get number(): string {
    return [...this.shown.matchAll(/Type (\d{6}) on the page/g)].at(-1)?.[1] ?? '';
  }

  /** Waits until the command has printed `text`, or has ended. */
  async says(text: string): Promise<void> {
    await eventually(`view says ${text}: ${this.shown}`, () => this.shown.includes(text) || this.exit !== null);
  }

  /** Waits until the server has printed its link, and opens a session with the newest ticket. */
  async enter(): Promise<void> {
    await this.says('#ticket=');
    await this.says('\n');
    const { ticket } = this;
    const answered = await ask(this.host, '/session', { body: { ticket } });
    this.#session = String(answered.json()['session']);
  }

  ask(path: string, given: Given = {}): Promise<Asked> {
    return ask(this.host, path, { ...given, headers: { 'x-dev-cli-session': this.#session, ...given.headers } });
  }

  /** Follows a stream of events and collects its lines, until `stop` is called. */
  follow(path: string): {
    lines: () => Record<string, unknown>[];
    bytes: () => number;
    stop: () => void;
    isOpen: () => boolean;
  } {
    const [hostname, port] = this.host.split(':');
    let text = '';
    let isOpen = true;
    const headers = { 'x-dev-cli-session': this.#session };
    const sent = request({ hostname, port, path, headers }, (response) => {
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response
        .on('error', () => {})
        .on('close', () => {
          isOpen = false;
        });
    });
    sent.on('error', () => {}).end();
    const complete = () => text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return {
      lines: () => complete().flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
      bytes: () => text.length,
      isOpen: () => isOpen,
      stop: () => sent.destroy(),
    };
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(Number(/pid (\d+)/.exec(this.shown)?.[1]), signal);
  }

  /** Waits until the command has ended; returns its exit code. */
  async end(): Promise<number | null> {
    await eventually(`view has ended: ${this.shown}`, () => this.exit !== null);
    return this.exit;
  }

  /** Kills the command, if it still runs. */
  stop(): void {
    if (this.exit === null && this.shown.includes('pid ')) this.signal('SIGKILL');
    this.#child.kill('SIGKILL');
  }
}
