import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { writeStreamDirectory } from '../../../src/wings/fleet/entries.js';
import { LOOP, type Streams } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';
import { add, addAndTell, codeOf } from '../loop/streams-suite.js';
import { nameProject, openDesk, useDatabase } from './shared.js';

/** Rows changed from outside, and a database restored from a backup (fleet.md, A stream in PostgreSQL). */

const shared = useDatabase();

/** Creates a project with some commits. */
async function begin(): Promise<{ project: string; streams: Streams; root: string }> {
  const project = nameProject();
  const root = scratchDirectory('desk');
  const streams = openDesk(shared.pool, project, root);
  for (const key of ['1', '2', '3']) await streams.transact(LOOP, addAndTell(key));
  return { project, streams, root };
}

const keysOf = async ({ tellNews }: Pick<Streams, 'tellNews'>): Promise<unknown[]> => {
  const heard: JsonObject[] = [];
  await tellNews((events) => void heard.push(...events));
  return heard.map(({ idempotency_key: key }) => key);
};

/** Expects an error that names the damage and the project. Returns the damage. */
const damageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (found: { code?: string; message: string; details?: { target?: string }[] }) => found,
  );
  expect(error).toMatchObject({ code: 'STATE_CORRUPT', fix: expect.stringContaining('backup') });
  expect(error?.message).not.toMatch(/\.dev\/loop|Nothing was changed.*Nothing was changed/);
  return error?.message ?? '';
};

/** Reads all rows of a project, for comparison. */
const dump = async (project: string): Promise<unknown[]> =>
  Promise.all(
    ['streams', 'entries', 'documents', 'objects', 'leases'].map(async (table) => {
      const asked = `SELECT * FROM dev_cli.${table} t WHERE project = $1 ORDER BY t::text`;
      return (await shared.pool.query(asked, [project])).rows;
    }),
  );

it.each([
  ['a snapshot that is no JSON', 'UPDATE dev_cli.streams SET snapshot = left(snapshot, 40) WHERE project = $1'],
  ['a snapshot of something else', `UPDATE dev_cli.streams SET snapshot = '{"seq": 3}' WHERE project = $1`],
  ['no snapshot', 'UPDATE dev_cli.streams SET snapshot = NULL WHERE project = $1'],
  [
    'a snapshot that is ahead',
    `UPDATE dev_cli.streams SET snapshot = replace(snapshot, '"seq": 3', '"seq": 9') WHERE project = $1`,
  ],
  ['a number that is behind', 'UPDATE dev_cli.streams SET seq = 2 WHERE project = $1'],
  ['torn lines', 'UPDATE dev_cli.entries SET lines = left(lines, 40) WHERE project = $1 AND seq = 3'],
  ['changed lines', `UPDATE dev_cli.entries SET lines = replace(lines, 'told', 'gold') WHERE project = $1 AND seq = 3`],
  ['lines that are gone', 'DELETE FROM dev_cli.entries WHERE project = $1 AND seq = 3'],
])('%s is told, and nothing is written', async (_what, change) => {
  const { project, streams } = await begin();
  await shared.pool.query(change, [project]);
  const before = await dump(project);
  await damageOf(streams.transact(LOOP, add('a')));
  if (change.includes('left(snapshot') || change.includes(`'{"seq"`)) await damageOf(streams.read(LOOP));
  expect(await dump(project)).toEqual(before);
});

it('a snapshot that its only entry could mend is told all the same', async () => {
  const project = nameProject();
  const streams = openDesk(shared.pool, project, scratchDirectory('desk'));
  await streams.transact(LOOP, add('a'));
  await shared.pool.query(`UPDATE dev_cli.streams SET snapshot = '{' WHERE project = $1`, [project]);
  await damageOf(streams.transact(LOOP, add('a')));
});

it.each([
  ['torn in the middle', 'UPDATE dev_cli.entries SET lines = left(lines, 40) WHERE project = $1 AND seq = 2'],
  ['torn at the end', 'UPDATE dev_cli.entries SET lines = left(lines, 40) WHERE project = $1 AND seq = 3'],
  ['gone', 'DELETE FROM dev_cli.entries WHERE project = $1 AND seq = 1'],
  ['no lines at all', `UPDATE dev_cli.entries SET lines = 'x' WHERE project = $1 AND seq = 1`],
])('entries that are %s are no news', async (_what, change) => {
  const { project, streams, root } = await begin();
  await shared.pool.query(change, [project]);
  await damageOf(keysOf(streams));
  expect(existsSync(join(root, '.dev/loop/fleet.json'))).toBe(false);
});

const PATHS = [
  ...['../x', '/x', 'attempts/../../x', 'attempts/g/../../../x', '.git/hooks/post-checkout', 'attempts/.git/config'],
  ...[
    'attempts/g/1/.git',
    'events.jsonl',
    'state.json',
    'fleet.json',
    'objects/x',
    'attempts/g/1/',
    'attempts\\..\\..\\x',
  ],
  `attempts/${'x'.repeat(300)}`,
];

it.each(PATHS)('a document at %s is written nowhere', async (path) => {
  const { project, streams, root } = await begin();
  const values = [project, path, Buffer.from('#!/bin/sh\ntouch /tmp/owned\n')];
  await shared.pool.query('INSERT INTO dev_cli.documents VALUES ($1, $2, 3, $3)', values);
  expect(await keysOf(streams)).toEqual(['1', '2', '3']);
  const told = ['attempts', 'attempts/told', 'fleet.json', ...[1, 2, 3].map((n) => `attempts/told/${n}`)];
  const files = [1, 2, 3].map((n) => `attempts/told/${n}/verdict.json`);
  expect((readdirSync(join(root, '.dev/loop'), { recursive: true }) as string[]).toSorted()).toEqual(
    [...told, ...files].toSorted(),
  );
  const around = scratchDirectory('around');
  expect(await damageOf(writeStreamDirectory(shared.pool, project, join(around, 'a/out')))).toContain(
    'no document may have the path',
  );
  expect(readdirSync(around)).toEqual([]);
});

it('an object under a name that is no digest is written nowhere', async () => {
  const { project } = await begin();
  await shared.pool.query(`INSERT INTO dev_cli.objects VALUES ($1, '../../x', 'x')`, [project]);
  const around = scratchDirectory('around');
  await damageOf(writeStreamDirectory(shared.pool, project, join(around, 'a/out')));
  expect(readdirSync(around)).toEqual([]);
});

it('a document in the place of a directory of another is told', async () => {
  const { project } = await begin();
  await shared.pool.query(`INSERT INTO dev_cli.documents VALUES ($1, 'attempts/told', 3, 'x')`, [project]);
  expect(await codeOf(writeStreamDirectory(shared.pool, project, join(scratchDirectory('around'), 'out')))).toBe('IO');
});

it('a document of 50 MB is not brought to every root', async () => {
  const { project, streams, root } = await begin();
  const huge = `INSERT INTO dev_cli.documents VALUES ($1, 'attempts/told/9/prompt.md', 3, convert_to(repeat('x', 50000000), 'UTF8'))`;
  await shared.pool.query(huge, [project]);
  await keysOf(streams);
  expect(existsSync(join(root, '.dev/loop/attempts/told/9'))).toBe(false);
});

it('news are told from where they were left, after a cursor that was lost, and of a database that was set back', async () => {
  const { project, streams, root } = await begin();
  expect(await keysOf(streams)).toEqual(['1', '2', '3']);
  expect(readFileSync(join(root, '.dev/loop/attempts/told/2/verdict.json'), 'utf8')).toBe('{"n":2}\n');
  // The backup has only the first two entries. Others add entries to it, until there are more than this root has read.
  await setBack(project);
  expect(await keysOf(streams)).toEqual(['1', '2']);
  for (const key of ['4', '5']) await streams.transact(LOOP, addAndTell(key));
  expect(await keysOf(streams)).toEqual(['1', '2', '4', '5'].slice(2));
  await setBack(project);
  for (const key of ['6', '7', '8']) await streams.transact(LOOP, addAndTell(key));
  expect(await keysOf(streams)).toEqual(['1', '2', '6', '7', '8']);
  expect(await keysOf(openDesk(shared.pool, project, scratchDirectory('desk')))).toEqual(['1', '2', '6', '7', '8']);
});

/** Resets a stream to its second entry. */
async function setBack(project: string): Promise<void> {
  const elsewhere = `${project}-backup`;
  const copy = openDesk(shared.pool, elsewhere, scratchDirectory('desk'));
  for (const key of ['1', '2']) await copy.transact(LOOP, addAndTell(key));
  for (const table of ['streams', 'entries', 'documents']) {
    await shared.pool.query(`DELETE FROM dev_cli.${table} WHERE project = $1`, [project]);
    await shared.pool.query(`UPDATE dev_cli.${table} SET project = $1 WHERE project = $2`, [project, elsewhere]);
  }
}
