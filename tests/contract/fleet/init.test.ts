import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFleet } from '../../support/fleet.mjs';
import { createDatabase, dropDatabase } from '../../support/postgres.js';
import { BINARY, CHECKOUT } from '../../support/project.mjs';
import { scratchDirectory } from '../../support/scratch.js';

// A machine's prerequisites for its fleet: database schemas, privileges in the database, packages (fleet.md, Commands;
// What a team starts).

const databases: string[] = [];
afterAll(async () => {
  for (const url of databases) await dropDatabase(url);
});

async function open(): Promise<string> {
  const url = await createDatabase();
  databases.push(url);
  return url;
}

async function tell(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

const home = scratchDirectory('fleet-init');

/** Makes a call. Returns its exit code, document and output. */
function call(url: string, words: readonly string[], binary = BINARY) {
  const env = { PATH: process.env['PATH'], HOME: home, DEV_CLI_DATABASE: url };
  const given = { cwd: home, env, encoding: 'utf8', timeout: 40_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...words, '--json'], given);
  return { exit: status, said: stdout + stderr, json: JSON.parse(stdout.trim() || stderr) };
}

const ROLES = ['dev_cli_desk', 'dev_cli_worker', 'dev_cli_reader'];

describe('fleet init', () => {
  it('makes both schemas on an empty database, and finds them the second time', async () => {
    const url = await open();
    const made = { ok: true, schema_version: 1, roles: ROLES, lacks: [] };
    expect(call(url, ['fleet', 'list'])).toMatchObject({ exit: 3, json: { error: { code: 'FLEET_VERSION' } } });
    expect(call(url, ['fleet', 'init'])).toMatchObject({ exit: 0, json: { ...made, was: 0 } });
    expect(call(url, ['fleet', 'init'])).toMatchObject({ exit: 0, json: { ...made, was: 1 } });
    expect(call(url, ['fleet', 'list'])).toMatchObject({ exit: 0, json: { workers: [] } });
  });

  it('may be called by two at once', async () => {
    const fleet = createFleet({ url: await open() });
    try {
      const desk = fleet.addProject('p', { goals: '  - { id: a, title: A, status: active }\n', sessions: {} });
      const both = [fleet.start(desk, 'fleet', 'init', '--json'), fleet.start(desk, 'fleet', 'init', '--json')];
      const ended = await Promise.all(both.map(({ ended }) => ended));
      expect(ended.map(({ exit, stdout }) => [exit, JSON.parse(stdout).was]).toSorted()).toEqual([
        [0, 0],
        [0, 1],
      ]);
    } finally {
      await fleet.end();
    }
  });

  it('says which right is lacking, and the schema of a newer program is left alone', async () => {
    const url = await open();
    const name = new URL(url).pathname.slice(1);
    await tell(url, `CREATE ROLE ${name}_user LOGIN PASSWORD 'x'`);
    const as = Object.assign(new URL(url), { username: `${name}_user`, password: 'x' }).href;
    const { exit, json } = call(as, ['fleet', 'init']);
    expect([exit, json.error.code, json.error.message]).toEqual([
      ...[1, 'FLEET_UNAVAILABLE'],
      expect.stringContaining(`the user lacks the right CREATE on database ${name}`),
    ]);
    await tell(url, `DROP ROLE ${name}_user`);
    expect(call(url, ['fleet', 'init']).exit).toBe(0);
    await tell(url, 'UPDATE dev_cli.schema_version SET version = 99');
    for (const what of ['init', 'list'])
      expect(call(url, ['fleet', what])).toMatchObject({ exit: 3, json: { error: { code: 'FLEET_VERSION' } } });
  });

  it('ends at once, without a word of the address, where that is wrong', async () => {
    const url = await open();
    for (const password of ['wr0ng-p4ssword', '']) {
      const { exit, said, json } = call(Object.assign(new URL(url), { password }).href, ['fleet', 'init']);
      expect([exit, json.error.code]).toEqual([1, 'FLEET_UNAVAILABLE']);
      expect(said).not.toMatch(/wr0ng|postgresql:\/\/\w/);
    }
  });
});

describe('packages', () => {
  let copy: string;
  beforeAll(() => {
    copy = scratchDirectory('installed');
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
    mkdirSync(join(copy, 'node_modules'));
  });
  const find = async () => {
    const { exit, json } = call(await open(), ['fleet', 'init'], join(copy, 'bin/dev-cli.js'));
    return [exit, json.error?.code, json.error?.message, json.error?.fix?.text ?? json.error?.fix];
  };
  const refused = (name: string, problem: string) => [
    ...[1, 'FLEET_UNAVAILABLE', `The package ${name} cannot be used: ${problem}.`],
    expect.stringContaining('npm i -g @dbos-inc/dbos-sdk@5 pg@8'),
  ];

  it('that are missing, or of another major version, are named with the line that installs them', async () => {
    expect(await find()).toEqual(refused('pg', 'it is not installed'));
    const own = join(copy, 'node_modules/pg');
    mkdirSync(own);
    writeFileSync(join(own, 'package.json'), '{"name": "pg", "version": "9.1.0", "main": "index.js"}');
    writeFileSync(join(own, 'index.js'), '');
    expect(await find()).toEqual(refused('pg', 'it is 9.1.0, and 8 is needed'));
    spawnSync('rm', ['-r', own]);
    symlinkSync(join(CHECKOUT, 'node_modules/pg'), own);
    expect(await find()).toEqual(refused('@dbos-inc/dbos-sdk', 'it is not installed'));
  });
});
