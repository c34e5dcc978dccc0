import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DevCliError } from '../../../src/base/errors.js';
import { DISK_READER } from '../../../src/project/reader.js';
import {
  listSecretVariables,
  nameWorker,
  readFleetConfig,
  resolveDatabaseUrl,
} from '../../../src/wings/fleet/config.js';
import { scratchDirectory } from '../../support/scratch.js';

// What a machine is told of its fleet (fleet.md, Commands).

const reader = DISK_READER;

/** A user whose fleet.yaml has this text. */
function createUser(text: string | null) {
  const home = scratchDirectory('fleet-');
  mkdirSync(join(home, '.config/dev-cli'), { recursive: true });
  if (text !== null) writeFileSync(join(home, '.config/dev-cli/fleet.yaml'), text);
  return { home, reader };
}

const read = (text: string | null, env = {}) => readFleetConfig(createUser(text), { env });

function findProblems(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    const { code, details } = error as DevCliError;
    return [code, ...details.map(({ at = '', problem }) => `${at.replace(/^.*fleet\.yaml:/, '')} ${problem}`)];
  }
  return [];
}

it('has what holds without a file, and what a file says', () => {
  const defaults = { database: { env: 'DEV_CLI_DATABASE' }, slots: 2, lease_seconds: 60, name: null, projects: [] };
  expect(read(null)).toEqual(defaults);
  expect(read('{}')).toEqual(defaults);
  const project = { project: 'api', remote_url: 'git@host:api.git' };
  const said = { database: { command: ['pass', 'db'] }, slots: 8, lease_seconds: 5, name: 'ci-1' };
  expect(read(JSON.stringify({ ...said, projects: [project] }))).toEqual({
    ...said,
    projects: [{ ...project, trust: [] }],
  });
  const elsewhere = createUser('slots: 3').home;
  expect(read(null, { XDG_CONFIG_HOME: join(elsewhere, '.config') }).slots).toBe(3);
});

it('tells all that is wrong at its place', () => {
  const problems = findProblems(
    `database: {env: A, file: b}\nslot: 3\nlease_seconds: 4\nprojects:\n  - {project: a/b, remote_url: x}\n  - {project: api}\n`,
  );
  expect(problems).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "2:1 Unknown key \`slot\`; did you mean \`slots\`?",
      "1:11 \`database\` must NOT have more than 1 properties. Where the URL of the database is found: one of env, file and command. It never stands in this file itself.",
      "3:16 \`lease_seconds\` must be at least 5. Seconds without a beat after which others take over what this machine has, 5 to 600; 60.",
      "5:15 \`project\` cannot be \`a/b\`. Use letters, digits, "_" and "-", beginning with a letter or digit.",
      "6:5 \`remote_url\` is missing.",
    ]
  `);
  expect(findProblems('database: postgresql://u:p@h/d')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:11 \`database\` must be a mapping, not text. Where the URL of the database is found: one of env, file and command. It never stands in this file itself.",
    ]
  `);
  expect(findProblems('slots: two\nname: [a]\n')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:8 \`slots\` must be a whole number, not text. Attempts that this machine works on at once, 1 to 32; 2.",
      "2:7 \`name\` must be text, not a list. What this machine is called, of letters, digits, ".", "_" and "-"; its host name.",
    ]
  `);
  expect(findProblems('slots: [')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:9 This is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ].",
    ]
  `);
  expect(
    findProblems('projects:\n  - {project: api, remote_url: a}\n  - {project: api, remote_url: b}\n'),
  ).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "3:15 api stands here twice. Put both into one.",
    ]
  `);
});

describe('the database', () => {
  const resolve = (env: NodeJS.ProcessEnv, text: string | null = null) => {
    const user = createUser(text);
    return resolveDatabaseUrl(readFleetConfig(user, { env }), user, { env });
  };

  it('is found by a variable, a file or a command', async () => {
    const url = 'postgresql://u:p@h:5432/d?sslmode=require';
    expect(await resolve({ DEV_CLI_DATABASE: url })).toBe(url);
    expect(await resolve({ TEAM: 'postgres://u@h/d' }, 'database: {env: TEAM}')).toBe('postgres://u@h/d');
    const file = join(scratchDirectory('fleet-'), 'url');
    writeFileSync(file, `${url}\n`);
    expect(await resolve({}, `database: {file: ${file}}`)).toBe(url);
    expect(await resolve({ PATH: process.env['PATH'] }, `database: {command: [echo, "${url}"]}`)).toBe(url);
  });

  it.each([
    ['', 'there is none'],
    ['nothing', 'it is no URL'],
    ['mysql://u:secret@h/d', 'it does not begin with postgresql://'],
    ['postgresql:///', 'it names no user and no host and no database'],
    ['postgresql://u:secret@h', 'it names no database'],
  ])('is refused where its URL is %j, without a word of it', async (url, problem) => {
    const error = await resolve({ DEV_CLI_DATABASE: url }).catch((caught: unknown) => caught);
    const message = `The URL of the fleet’s database cannot be used (variable DEV_CLI_DATABASE): ${problem}.`;
    expect(error).toMatchObject({ code: 'FLEET_UNAVAILABLE', message });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('is kept from children by the names of its variables', () => {
    expect(listSecretVariables({ database: { file: 'url' } })).toEqual(['DEV_CLI_DATABASE', 'PGPASSWORD']);
    expect(listSecretVariables({ database: { env: 'TEAM' } })).toEqual(['DEV_CLI_DATABASE', 'PGPASSWORD', 'TEAM']);
  });
});

it('calls a worker by its host, the same each time, and another in another state directory', () => {
  const signs = ['111111', '222222'];
  const ids = { hex: () => signs.shift() ?? '' };
  const name = (state: string) => nameWorker({ name: null }, { reader, ids, trustDirectory: join(state, 'trusted') });
  const [one, other] = [scratchDirectory('fleet-'), scratchDirectory('fleet-')];
  expect(name(one)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*-111111$/);
  expect(name(one)).toBe(name(one));
  expect(name(other)).toMatch(/-222222$/);
  expect(nameWorker({ name: 'ci-1' }, { reader, ids, trustDirectory: '/nowhere/trusted' })).toBe('ci-1');
});
