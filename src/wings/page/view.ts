import { PassThrough } from 'node:stream';
import type { StreamAnswer, StreamItem } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { requireName } from '../../base/name.js';
import type { Context } from '../../run/context.js';
import type { PageContext } from './documents.js';
import { startListening } from './listen.js';
import { hasDisplay, openLink } from './open.js';
import { createSessions } from './sessions.js';
import { readShell } from './shell.js';

interface Input {
  name?: string;
  port?: number;
  noOpen?: boolean;
}

/** The call's environment variables, and a way to read single keys from its terminal. */
interface Site {
  env: NodeJS.ProcessEnv;
  keys?: (pressed: (key: string) => void) => Promise<() => void>;
}

/**
 * `view [NAME]`: serves the page to this machine until the person presses `q` or a signal arrives (view-page.md,
 * Server).
 * @throws DevCliError `NO_SUCH_RUN`, `NAME_INVALID`; while serving: `USAGE` if the port is taken, `IO`, `INTERRUPTED`
 */
export async function serveView(context: PageContext, input: Input, site: Site): Promise<StreamAnswer> {
  if (input.name !== undefined)
    await (await import('./live.js')).readRunNow(context, { name: requireName(input.name) });
  return { exit: 0, stream: serve(context, input, site) };
}

async function* serve(
  context: PageContext,
  { name, port, noOpen = false }: Input,
  { env, keys: typed }: Site,
): AsyncGenerator<StreamItem> {
  const said = new PassThrough({ objectMode: true });
  const say = (lines: readonly string[]): void =>
    lines.forEach((line) => void (said.writableEnded || said.write(line)));
  const keys = context.caller.terminal === true ? typed : undefined;
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  context.signal.addEventListener('abort', () => said.end());
  const sessions = createSessions();
  const shell = readShell(context);
  // Loading the server's code takes time, so it waits for the first request and the link appears sooner.
  const build = async (host: string) => {
    const [{ createServer }, { createDecider }] = await Promise.all([import('./server.js'), import('./deciding.js')]);
    return createServer({ context, host, shell, sessions, decider: createDecider(context, say), signal });
  };
  const server = await startListening(context.root, port, (host) => {
    let app: ReturnType<typeof build> | undefined;
    return async (request) => {
      app ??= build(host);
      return (await app).fetch(request);
    };
  });
  const isOpened = keys !== undefined && !noOpen && hasDisplay(env);
  const invite = (opens: boolean): void => {
    const link = `http://${server.host}/#ticket=${sessions.issue()}${name === undefined ? '' : `/${name}`}`;
    say([`The page (the link works for one minute, in one browser): ${link}`]);
    if (opens) openLink(link, env);
  };
  invite(isOpened);
  say([describeKeys(context, keys !== undefined)]);
  const release = await keys?.((key) => {
    if (key === 'q') said.end();
    if (key === 'o') invite(hasDisplay(env));
  });
  try {
    let seq = 0;
    for await (const line of said) {
      seq += 1;
      yield { json: { seq, type: 'said', line }, text: () => line };
    }
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. The page is closed; runs continue.');
    yield { json: { seq: seq + 1, type: 'end', ok: true }, text: () => null };
  } finally {
    release?.();
    ended.abort();
    server.close();
  }
}

function describeKeys({ mark }: Context, isBeforePerson: boolean): string {
  if (isBeforePerson) return 'o: open the page again; q: quit. The numbers that confirm answers are shown here.';
  const why = mark === null ? 'no person is at this terminal' : `${mark} is set`;
  return `The page is read-only: ${why}, so no gate can be answered on it. A signal ends it.`;
}
