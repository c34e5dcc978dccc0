import { randomBytes } from 'node:crypto';
import { makeDatabase, startServer } from './postgres-server.mjs';

/** A database of its own for a test, on a server that all tests of a process share. */

let shared: Promise<{ url: string }> | null = null;

/** Makes an empty database. @returns its address */
export async function createDatabase(): Promise<string> {
  const given = process.env['DEV_CLI_TEST_POSTGRES'];
  shared ??= given ? Promise.resolve({ url: given }) : startServer();
  return makeDatabase((await shared).url, `test_${randomBytes(6).toString('hex')}`);
}
