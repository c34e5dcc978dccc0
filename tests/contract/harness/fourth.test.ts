import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Harness } from '../../../src/wings/harness/adapter.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { CHECKOUT, createProject, type Project } from '../../support/project.mjs';
import { AGENTS_BLOCK, END_BLOCK, startTiny } from '../../support/tiny.js';

// To add a harness, one writes a file in src/wings/harness/adapters/, a row in src/wings/harness/harness.ts and a
// section in docs/harnesses.md; the contract names it, too (docs/architecture.md, How to add). No other code may name a
// harness. To prove this, the test adds an invented fourth harness to a copy of the repository, in only these places,
// and uses it.

const ROOM = 'src/wings/harness';
const TABLE = `${ROOM}/harness.ts`;

/**
 * Words that only an adapter may contain: ids, titles, directories and variables of harnesses, and parts of their
 * payloads.
 */
const WORDS = Object.values(HARNESSES).flatMap(({ id, title, directory, marks, tools, ...one }) => [
  ...[`'${id}'`, `--harness ${id}`, title, `'${directory}`, ...marks],
  ...[one.session, one.attended, one.projectVariable, one.homeVariable, one.plugin?.root].filter(Boolean),
  ...Object.values(tools.spent ?? {}),
  ...Object.values({ ...tools.notebooks }).map((member) => `'${member}'`),
  ...(tools.shellDirectory ?? []).filter((member) => member.includes('_')),
  ...[...Object.values(one.notice ?? {}), one.foreword ?? ''].flatMap((pattern) => pattern.match(/<[\w-]+>/g) ?? []),
]);

/**
 * Files that may contain such a word with another meaning: it is the value of the preference that says whose agent
 * drafts.
 */
const OTHER_MEANING = ['src/recipe/settings/builtin-preferences.ts'];

/** Lists the code, except comments, that contains such a word outside the adapters and their table. */
function listStrays(house: string): string[] {
  return readdirSync(join(house, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !/^src\/generated\/|\/adapters\//.test(path))
    .filter((path) => path !== TABLE && !OTHER_MEANING.includes(path))
    .flatMap((path) => {
      const code = readFileSync(join(house, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      const says = (word: string) => code.split(word).some((behind, at) => at > 0 && !/^[a-z]/.test(behind));
      return [...new Set(WORDS)].filter(says).map((word) => `${path}: ${word}`);
    });
}

/** Lists the harnesses that docs/harnesses.md has no section for. */
function listWithoutPage(house: string, titles: readonly string[]): string[] {
  const page = readFileSync(join(house, 'docs/harnesses.md'), 'utf8');
  return titles.filter((title) => !page.includes(`\n## ${title}\n`)).map((title) => `docs/harnesses.md: ${title}`);
}

/** The tables of the specification that have a row for each harness. */
const TABLES = ['## Install', '### Models and effort', '## How a harness is known'];

type Told = Pick<Harness, 'title' | 'marks' | 'projectVariable' | 'session' | 'reserved'>;

/**
 * Lists where a harness has to be named besides: its row in TABLES, its column in the table of enforced rules, its marks
 * in the protocol, its reserved names and variables, and its project directory in the script of the hooks.
 */
function listUntold({ title, marks, projectVariable, session, reserved }: Told): string[] {
  const read = (page: string) => readFileSync(join(CHECKOUT, 'docs', page), 'utf8');
  const cells = (row: string) => row.split('|').map((cell) => cell.trim());
  const contract = read('spec/harness.md');
  const missing = (page: string, words: readonly string[]) =>
    words.filter((word) => !read(page).includes(word)).map((word) => `docs/${page}: ${word}`);
  const rowless = TABLES.filter((heading) => {
    const [section = ''] = (contract.split(`\n${heading}\n`)[1] ?? '').split(/\n##/);
    return !section.split('\n').some((row) => row.startsWith('|') && cells(row)[1]?.split(', ').includes(title));
  });
  const [enforced = ''] = /^\| rule .*$/m.exec(read('harnesses.md')) ?? [];
  const line = read('spec/protocol.md')
    .split('\n')
    .find((one) => one.startsWith("A harness's mark"));
  return [
    ...rowless.map((heading) => `docs/spec/harness.md, ${heading}`),
    ...(cells(enforced).includes(title) ? [] : ['docs/harnesses.md, What is enforced']),
    ...missing('spec/harness.md', [projectVariable, ...reserved, ...(session === undefined ? [] : [session])]),
    ...missing('spec/memory.md', session === undefined ? [] : [session]),
    ...marks.filter((mark) => !line?.includes(`\`${mark}\``)).map((mark) => `docs/spec/protocol.md: ${mark}`),
    ...(read('../hooks/dev-cli.sh').includes(`"\${${projectVariable}-}"`)
      ? []
      : [`hooks/dev-cli.sh: ${projectVariable}`]),
  ];
}

const MUSE = `import { join } from 'node:path';
import type { Harness } from '../adapter.js';

export const muse: Harness = {
  id: 'muse',
  title: 'Muse',
  program: 'muse',
  directory: '.muse',
  skills: '.muse/songs',
  reserved: ['.muse'],
  voice: { ask: 'inquire, or', start: 'Summon \`<type>\` with \`tell\`.' },
  marks: ['MUSE_SINGS'],
  events: {
    'session-start': 'Begin',
    'user-prompt-submit': 'Hear',
    'pre-tool-use': 'Before',
    'post-tool-use': 'After',
    stop: 'Rest',
    'session-end': 'End',
  },
  members: { session_id: 'sitting', tool_name: 'deed', tool_input: 'about', agent_id: null },
  tools: { files: { scribble: 'page' }, shell: 'chant', question: 'inquire', members: { command: 'verse', edits: 'strokes' } },
  countsMilliseconds: true,
  projectVariable: 'MUSE_STAGE',
  agentEnding: '.md',
  renderAgent: ({ name, body }) => \`# \${name}\\n\\n\${body}\\n\`,
  settings: { path: '.muse/settings.json', what: 'hooks' },
  extras: { instructions: 'MUSE.md', servers: { path: '.muse/servers.json', holder: 'voices' } },
  describeStart: (skill) => \`sing \${skill}\`,
  findSilence: ({ own, readSettings, problem }) =>
    readSettings(join(own, 'voice.json'))['mute'] === true ? [problem('Muse is mute.', 'Unmute it.')] : [],
  whyUnheard: 'Sing again.',
  listFormFaults: () => [],
  dropsSettings: 'ignores all of',
  buildTrial: ({ session, path, content }) => ({ sitting: session, deed: 'scribble', about: { page: path, content } }),
};
`;

let house: string;
let project: Project;
beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'dev-cli-harness-'));
  const parts = ['src', 'scripts', 'bin', 'recipes', 'workflows', 'agents', 'skills', 'hooks', 'schemas'];
  for (const part of [...parts, 'package.json', 'tsconfig.json', 'docs/harnesses.md']) {
    cpSync(join(CHECKOUT, part), join(house, part), { recursive: true });
  }
  symlinkSync(join(CHECKOUT, 'node_modules'), join(house, 'node_modules'));
  writeFileSync(join(house, ROOM, 'adapters/muse.ts'), MUSE);
  const table = readFileSync(join(house, TABLE), 'utf8').replace(/,? \};\n$/, ', muse };\n');
  writeFileSync(join(house, TABLE), `import { muse } from './adapters/muse.js';\n${table}`);
  for (const script of ['generate', 'build']) {
    execFileSync(process.execPath, [join(house, `scripts/${script}.mjs`)], { cwd: house });
  }
  project = createProject();
  rmSync(join(project.root, '../bin/dev-cli'));
  symlinkSync(join(house, 'bin/dev-cli.js'), join(project.root, '../bin/dev-cli'));
}, 120_000);
afterAll(() => {
  project?.remove();
  rmSync(house, { recursive: true, force: true });
});

function call(args: string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: project.root, env: { ...project.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(process.execPath, [join(house, 'bin/dev-cli.js'), ...args], options);
  return { status, json: JSON.parse(stdout) };
}

const read = (path: string) => readFileSync(join(project.root, path), 'utf8');

describe('what is particular to a harness', () => {
  it('stands in its adapter alone', () => {
    expect(listStrays(CHECKOUT)).toEqual([]);
    appendFileSync(join(house, 'src/views/action.ts'), "export const isHasty = (id: string) => id === 'codex';\n");
    expect(listStrays(house)).toEqual(["src/views/action.ts: 'codex'"]);
    const planted = [
      "--harness claude|CLAUDE_PROJECT_DIR|CLAUDE_CONFIG_DIR|CLAUDE_PLUGIN_ROOT|agentId|totalTokens|'notebook_path'|dir_path",
      '<task-notification>|<task-id>|<subagent_tokens>|<hook_context>',
    ].flatMap((words) => words.split('|'));
    appendFileSync(
      join(house, 'src/views/action.ts'),
      `export const WORDS = [${planted.map((word) => JSON.stringify(word))}];\n`,
    );
    expect(
      listStrays(house)
        .map((stray) => stray.replace('src/views/action.ts: ', ''))
        .sort(),
    ).toEqual(["'codex'", ...planted].sort());
  });

  it('has its page', () => {
    const titles = Object.values(HARNESSES).map(({ title }) => title);
    expect(listWithoutPage(CHECKOUT, titles)).toEqual([]);
    expect(listWithoutPage(house, [...titles, 'Muse'])).toEqual(['docs/harnesses.md: Muse']);
    appendFileSync(join(house, 'docs/harnesses.md'), '\n## Muse\n\nIt sings.\n');
    expect(listWithoutPage(house, [...titles, 'Muse'])).toEqual([]);
  });

  it('has its rows in the contract, its column, and its place in the script of the hooks', () => {
    expect(Object.values(HARNESSES).flatMap(listUntold)).toEqual([]);
    const muse = { title: 'Muse', marks: ['MUSE_SINGS'], projectVariable: 'MUSE_STAGE', reserved: ['.muse'] };
    expect(listUntold({ ...muse, session: 'MUSE_SITTING' })).toEqual([
      ...TABLES.map((heading) => `docs/spec/harness.md, ${heading}`),
      'docs/harnesses.md, What is enforced',
      ...['MUSE_STAGE', '.muse', 'MUSE_SITTING'].map((word) => `docs/spec/harness.md: ${word}`),
      'docs/spec/memory.md: MUSE_SITTING',
      'docs/spec/protocol.md: MUSE_SINGS',
      'hooks/dev-cli.sh: MUSE_STAGE',
    ]);
  });
});

describe('a fourth harness', () => {
  it('is all that the compiler asks for', () => {
    const bin = join(CHECKOUT, 'node_modules/typescript-7/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [bin, '--noEmit'], { cwd: house, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });

  it('is installed, with its form of everything', () => {
    const { status, json } = call(['install', '--with', 'memory', '--harness', 'muse', '--yes', '--json']);
    expect([status, json.nextSteps[0]]).toEqual([0, 'Muse: sing specify with what you want.']);
    expect(read('.muse/songs/specify/SKILL.md')).toContain('name: specify');
    expect(read('.muse/agents/dev-cli-worker.md')).toMatch(/^# dev-cli-worker$/m);
    const [{ matcher, hooks }] = JSON.parse(read('.muse/settings.json')).hooks.Before;
    expect([matcher, hooks[0].timeout]).toEqual(['scribble|chant', 15_000]);
    expect(JSON.parse(read('.muse/servers.json'))).toEqual({
      voices: { 'dev-cli': { command: 'dev-cli', args: ['mcp'] } },
    });
    expect(read('MUSE.md')).toContain('dev-cli context');
  });

  it('has its events answered, by the line that is installed', () => {
    call(['init', 'one', '--recipe', 'specify-quick-autopilot', '--goal', 'Add a route']);
    const [{ hooks }] = JSON.parse(read('.muse/settings.json')).hooks.Before;
    // An edit may name its file as the call does.
    for (const [deed, about] of [
      ['scribble', { page: 'src/a.js' }],
      ['scribble', { page: '.dev/specs/one/findings/x.md', strokes: [{ page: 'src/a.js' }] }],
      ['chant', { verse: 'echo x > src/a.js' }],
    ] as const) {
      const input = JSON.stringify({ sitting: 's', deed, about });
      const options = { cwd: project.root, env: project.env, encoding: 'utf8', input } as const;
      const { status, stderr } = spawnSync('sh', ['-c', hooks[0].command], options);
      expect([status, stderr]).toEqual([2, expect.stringContaining('"one" is planning')]);
    }
  });

  it('is told how agents are started, by its mark', () => {
    startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    expect(call(['next', 'run-1'], { MUSE_SINGS: '1' }).json.how).toBe('Summon `<type>` with `tell`.');
    expect(call(['next', 'run-1']).json.how).not.toContain('Summon');
  });

  it('is looked at by doctor: its guard is tried, and what keeps it silent is found', () => {
    const findings = () => call(['doctor', '--harness', 'muse', '--json'], { MUSE_SINGS: '1' }).json.findings;
    expect(findings()).toContainEqual(expect.objectContaining({ check: 'guard', severity: 'ok', harness: 'muse' }));
    mkdirSync(join(project.home, '.muse'));
    writeFileSync(join(project.home, '.muse/voice.json'), '{"mute":true}');
    expect(findings()).toContainEqual(expect.objectContaining({ check: 'silence', message: 'Muse is mute.' }));
  });

  it('is uninstalled', () => {
    expect(call(['uninstall', '--harness', 'muse', '--yes', '--json']).status).toBe(3);
    for (const run of ['one', 'run-1']) call(['abort', run, '--reason', 'enough']);
    expect(call(['uninstall', '--harness', 'muse', '--yes', '--json']).status).toBe(0);
    for (const path of ['.muse/settings.json', '.muse/servers.json', 'MUSE.md'])
      expect(() => read(path)).toThrow('ENOENT');
  });
});
