import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { DevCliError, getSystemCode } from '../../base/errors.js';

/** The loopback address, which only this machine can reach. */
const ADDRESS = '127.0.0.1';

/** A root gets one of these ports. They lie below the range from which operating systems hand out ports themselves. */
const FIRST = 20_000;
const PORTS = 10_000;

/** The highest port number. */
const LAST = 65_535;

/** How many ports are tried if the caller named none. */
const TRIED = 100;

/** A listening server. */
export interface Listening {
  /** `127.0.0.1:PORT`. */
  host: string;
  close(): void;
}

/**
 * Starts a server that answers requests with the handler that `build` returns.
 * @param given the only port to try; without it, tries a port derived from the root, then the following ones
 * @param build creates the request handler for a host
 * @throws DevCliError `USAGE` if the port is taken or invalid; `IO`
 */
export async function startListening(
  root: string,
  given: number | undefined,
  build: (host: string) => (request: Request) => Promise<Response>,
): Promise<Listening> {
  if (given !== undefined && (given < 1 || given > LAST))
    throw new DevCliError('USAGE', `${given} is not a valid port.`, {
      fix: `Give --port a number from 1 to ${LAST}, or leave it out.`,
    });
  const first = given ?? derivePort(root);
  for (let at = 0; at < (given === undefined ? TRIED : 1); at += 1) {
    const port = given ?? FIRST + ((first - FIRST + at) % PORTS);
    const host = `${ADDRESS}:${port}`;
    const server = createAdaptorServer({ fetch: build(host), hostname: ADDRESS }) as Server;
    if (await isFree(server, port)) return { host, close: () => closeAll(server) };
  }
  throw new DevCliError('USAGE', `Port ${first} is taken.`, { fix: 'Name another port with --port, or leave it out.' });
}

/** Derives a port from a root; the same root always gets the same port. */
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
    throw new DevCliError('IO', `${ADDRESS}:${port} cannot be listened on (${code ?? 'unknown'}).`, { cause: error });
  }
}

function closeAll(server: Server): void {
  server.close();
  server.closeAllConnections();
}
