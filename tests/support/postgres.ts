import { randomBytes } from 'node:crypto';
import { makeDatabase, removeDatabase, startServer } from './postgres-server.mjs';

/** Provides a database for each test, on a server that all tests of a process share. */

let shared: Promise<string> | null = null;

function findServer(): Promise<string> {
  const given = process.env['DEV_CLI_TEST_POSTGRES'];
  shared ??= given ? Promise.resolve(given) : startServer().then(({ url }) => url);
  return shared;
}

/** Creates an empty database. @returns its address */
export const createDatabase = async (): Promise<string> =>
  makeDatabase(await findServer(), `test_${randomBytes(6).toString('hex')}`);

/** Removes a database made by `createDatabase`, and closes all connections to it. */
export const dropDatabase = async (url: string): Promise<void> =>
  removeDatabase(await findServer(), new URL(url).pathname.slice(1));
