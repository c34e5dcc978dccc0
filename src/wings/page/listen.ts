import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { DevCliError, getSystemCode } from '../../base/errors.js';

/** This machine alone. */
const ADDRESS = '127.0.0.1';

/** Ports that a root may be given: below those that systems hand out by themselves. */
const FIRST = 20_000;
const PORTS = 10_000;

/** The last port that there is. */
const LAST = 65_535;

/** Ports that are tried. */
const TRIED = 100;

/** A server that listens. */
export interface Listening {
  /** `127.0.0.1:PORT`. */
  host: string;
  close(): void;
}

/**
 * Listens for whom `build` answers.
 * @param given the only port that is tried; left out, one that follows from the root, else the next that is free
 * @param build makes what answers, for its host
 * @throws DevCliError `USAGE` where the port is taken, or is none; `IO`
 */
export async function listen(
  root: string,
  given: number | undefined,
  build: (host: string) => (request: Request) => Promise<Response>,
): Promise<Listening> {
  if (given !== undefined && (given < 1 || given > LAST))
    throw new DevCliError('USAGE', `${given} is no port.`, { fix: `--port takes 1 to ${LAST}, or leave it out.` });
  const first = given ?? derivePort(root);
  for (let at = 0; at < (given === undefined ? TRIED : 1); at += 1) {
    const port = given ?? FIRST + ((first - FIRST + at) % PORTS);
    const host = `${ADDRESS}:${port}`;
    const server = createAdaptorServer({ fetch: build(host), hostname: ADDRESS }) as Server;
    if (await isFree(server, port)) return { host, close: () => closeAll(server) };
  }
  throw new DevCliError('USAGE', `Port ${first} is taken.`, { fix: 'Name another with --port, or leave it out.' });
}

/** The port of a root, the same at each call. */
export function derivePort(root: string): number {
  return FIRST + (createHash('sha256').update(root).digest().readUInt32BE() % PORTS);
}

async function isFree(server: Server, port: number): Promise<boolean> {
  try {
    server.listen(port, ADDRESS);
    await once(server, 'listening');
    return true;
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'EADDRINUSE') return false;
    throw new DevCliError('IO', `${ADDRESS}:${port} cannot be listened at (${code ?? 'unknown'}).`, { cause: error });
  }
}

function closeAll(server: Server): void {
  server.close();
  server.closeAllConnections();
}
