import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DevCliError } from '../../../src/base/errors.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { readMachineConfig, resolveDatabaseUrl } from '../../../src/wings/fleet/config.js';
import { scratchDirectory } from '../../support/scratch.js';

// A machine's configuration of its fleet (fleet.md, Commands).

const reader = DISK_READER;

/** Creates a user with this fleet.yaml, for whom dev-cli has created no files yet. */
function createUser(text: string | null, signs = ['111111', '222222']) {
  const home = scratchDirectory('fleet-');
  mkdirSync(join(home, '.config/dev-cli'), { recursive: true });
  if (text !== null) writeFileSync(join(home, '.config/dev-cli/fleet.yaml'), text);
  return { home, reader, trustDirectory: join(home, 'state/trusted'), ids: { hex: () => signs.shift() ?? '' } };
}

const read = (text: string | null, env = {}) => readMachineConfig(createUser(text), env);

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
  expect(read(null)).toMatchObject({ slots: 2, leaseSeconds: 60, projects: [] });
  expect(read('{}')).toMatchObject({ slots: 2, leaseSeconds: 60, projects: [] });
  const project = { project: 'api', remote_url: 'git@host:api.git' };
  const said = { database: { command: ['pass', 'db'] }, slots: 8, lease_seconds: 5, name: 'ci-1', projects: [project] };
  const user = createUser(JSON.stringify(said));
  expect(readMachineConfig(user, {})).toEqual({
    ...{ slots: 8, leaseSeconds: 5, name: 'ci-1', clones: join(user.home, 'state/fleet/ci-1') },
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
      "1:11 \`database\` must NOT have more than 1 properties. Where to find the URL of the database: one of env, file and command. This file never contains the URL itself.",
      "3:16 \`lease_seconds\` must be at least 5. Seconds without a heartbeat after which others take over this machine’s attempts, 5 to 600; 60.",
      "5:15 \`project\` cannot be \`a/b\`. Use letters, digits, "_" and "-", beginning with a letter or digit.",
      "6:5 \`remote_url\` is missing.",
    ]
  `);
  expect(findProblems('database: postgresql://u:p@h/d')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:11 \`database\` must be a mapping, not text. Where to find the URL of the database: one of env, file and command. This file never contains the URL itself.",
    ]
  `);
  expect(findProblems('slots: two\nname: [a]\n')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:8 \`slots\` must be a whole number, not text. Attempts that this machine works on at once, 1 to 32; 2.",
      "2:7 \`name\` must be text, not a list. The name of this machine, of letters, digits, ".", "_" and "-", but not "auto"; made from its host name.",
    ]
  `);
  expect(findProblems('name: auto\n')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:7 The name auto is reserved for the loop itself. Give this machine another name.",
    ]
  `);
  expect(findProblems('name: person:ann\n')).toMatchInlineSnapshot(`
    [
      "SCHEMA_INVALID",
      "1:7 \`name\` cannot be \`person:ann\`. Use letters, digits, "_" and "-", beginning with a letter or digit.",
    ]
  `);
  expect(findProblems('name: auto-1')).toEqual([]);
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
      "3:15 api is listed twice. Merge the two entries.",
    ]
  `);
});

describe('the database', () => {
  const resolve = (env: NodeJS.ProcessEnv, text: string | null = null) => resolveDatabaseUrl(createUser(text), { env });
  const url = 'postgresql://u:p@h:5432/d?sslmode=verify-full';

  it('is found by a variable, a file or a command', async () => {
    expect(await resolve({ DEV_CLI_DATABASE: url })).toBe(url);
    expect(await resolve({ TEAM: 'postgres://u@h/d' }, 'database: {env: TEAM}')).toBe('postgres://u@h/d');
    const file = join(scratchDirectory('fleet-'), 'url');
    writeFileSync(file, `${url}\n`);
    expect(await resolve({}, `database: {file: ${file}}`)).toBe(url);
    expect(await resolve({ PATH: process.env['PATH'] }, `database: {command: [echo, "${url}"]}`)).toBe(url);
  });

  it('leaves nothing of itself to what the call starts, and is found again', async () => {
    const env = { DEV_CLI_DATABASE: url, TEAM: 'postgres://u@h/d', PGPASSWORD: 'a b/c', HOME: '/home/ann' };
    const user = createUser('database: {env: TEAM}');
    for (const _ of ['once', 'and again'])
      expect(await resolveDatabaseUrl(user, { env })).toBe('postgres://u:a%20b%2Fc@h/d');
    expect(env).toEqual({ HOME: '/home/ann' });
  });

  it('is trusted by its certificate alone, without a warning, unless its URL asks for less', async () => {
    const having = (settings: string) => resolve({ DEV_CLI_DATABASE: `postgresql://u:p@h/d?${settings}` });
    for (const mode of ['require', 'prefer', 'verify-ca', 'verify-full'])
      expect(await having(`sslmode=${mode}`)).toBe('postgresql://u:p@h/d?sslmode=verify-full');
    for (const settings of ['sslmode=disable', 'sslmode=require&uselibpqcompat=true'])
      expect(await having(settings)).toBe(`postgresql://u:p@h/d?${settings}`);
  });

  it('leaves a password that is another’s', async () => {
    const env = { DEV_CLI_DATABASE: url, PGPASSWORD: 'of the tests' };
    expect(await resolve(env)).toBe(url);
    expect(env).toEqual({ PGPASSWORD: 'of the tests' });
  });

  it.each([
    ['', 'it is missing'],
    ['nothing', 'it is not a URL'],
    ['mysql://u:secret@h/d', 'it does not begin with postgresql://'],
    ['postgresql:///', 'it names no user and no host and no database'],
    ['postgresql://u:secret@h', 'it names no database'],
  ])('is refused where its URL is %j, without a word of it', async (text, problem) => {
    const error = await resolve({ DEV_CLI_DATABASE: text }).catch((caught: unknown) => caught);
    const message = `The URL of the fleet’s database cannot be used (variable DEV_CLI_DATABASE): ${problem}.`;
    expect(error).toMatchObject({ code: 'FLEET_UNAVAILABLE', message });
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

it('calls a worker by its host, the same each time, and another in another state directory', () => {
  const user = createUser(null);
  const { name } = readMachineConfig(user, {});
  expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*-111111$/);
  expect(readMachineConfig(user, {}).name).toBe(name);
  expect(readMachineConfig({ ...user, trustDirectory: join(user.home, 'other/trusted') }, {}).name).toMatch(/-222222$/);
});
