import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { type CallOptions, devCli } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// memory.md, Hooks: the effects of `install --with memory`.

useProject();

const ALL = '--harness claude,codex,gemini';
const call = (words: string, { env, ...options }: CallOptions = {}) =>
  devCli(project, [...words.split(' '), '--yes', '--json'], {
    ...options,
    env: { HOME: project.home, XDG_STATE_HOME: '', ...env },
  });
const install = (words = `--with memory ${ALL}`, options?: CallOptions) => call(`install ${words}`, options);
const uninstall = (words = '', options?: CallOptions) =>
  call(words === '' ? 'uninstall' : `uninstall ${words}`, options);
const at = (path: string) => join(project.root, path);
const read = (path: string) => readFileSync(at(path), 'utf8');
const write = (path: string, text: string | Buffer) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};

/** Returns every file with its bytes and mode, and every directory, including empty ones. */
function lookAtAll(root = project.root): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => !path.includes('/.git/objects/'))
    .map(({ entry, path }) => {
      const said = entry.isFile() ? `${statSync(path).mode} ${readFileSync(path, 'latin1')}` : 'no file';
      return `${path.slice(root.length)}: ${said}`;
    })
    .sort();
}

interface Row {
  path: string;
  does: string;
  why?: string;
}
const rowsOf = ({ json }: { json: Record<string, unknown> }): Row[] =>
  (json['harnesses'] as { files: Row[] }[]).flatMap(({ files }) => files);
const doesOf = (result: { json: Record<string, unknown> }, path: string) =>
  rowsOf(result).find((row) => row.path === path)?.does;
const gitOf = ({ json }: { json: Record<string, unknown> }) => (json['git'] as { status: string } | undefined)?.status;
const notesOf = ({ json }: { json: Record<string, unknown> }) => (json['notes'] ?? []) as string[];

const SERVER = { command: 'dev-cli', args: ['mcp'] };
const INSTRUCTIONS = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md'];
const SERVERS = ['.mcp.json', '.codex/config.toml', '.gemini/settings.json'];

describe('install --with memory (memory.md, Hooks)', () => {
  it('leaves nothing of a file that was its own, also where its line ends have changed since', () => {
    install('--with memory --harness claude');
    write('CLAUDE.md', read('CLAUDE.md').replaceAll('\n', '\r\n'));
    install('--harness claude');
    uninstall();
    expect(existsSync(at('CLAUDE.md'))).toBe(false);
  });

  it('switches memory on, and gives each harness its server, its instructions and the git hook', () => {
    const first = install();
    expect(first.code, first.stdout).toBe(0);
    expect(statSync(at('.dev/memory')).mode & 0o777).toBe(0o700);
    expect(readdirSync(at('.dev/memory'))).toEqual([]);
    expect(gitOf(first)).toBe('installed');
    expect(JSON.parse(read('.mcp.json'))).toEqual({ mcpServers: { 'dev-cli': SERVER } });
    expect(JSON.parse(read('.gemini/settings.json'))).toMatchObject({ mcpServers: { 'dev-cli': SERVER } });
    expect(parse(read('.codex/config.toml'))).toEqual({ mcp_servers: { 'dev-cli': SERVER } });
    expect(JSON.parse(read('.claude/settings.json')).permissions.allow).toContain('mcp__dev-cli');
    for (const path of INSTRUCTIONS) {
      const lines = read(path).trimEnd().split('\n');
      expect([lines[0], lines.at(-1)]).toEqual(['<!-- dev-cli:memory v1 -->', '<!-- /dev-cli:memory -->']);
      expect(lines.length).toBeLessThanOrEqual(12);
    }
    for (const path of [...INSTRUCTIONS, ...SERVERS, '.dev/memory/']) expect(doesOf(first, path), path).toBe('created');
    expect(JSON.parse(read('.dev/install.json')).with).toEqual(['memory']);
  });

  it('names commands that there are', () => {
    install();
    const said = [...read('CLAUDE.md').matchAll(/`dev-cli ([a-z]+(?: [a-z]+)?)/g)].map(([, words]) => words ?? '');
    expect(said.length).toBeGreaterThan(5);
    for (const words of said) {
      const help = devCli(project, [...words.split(' '), '--help']);
      expect([words, help.code]).toEqual([words, 0]);
    }
  });

  it('adds nothing of it without the flag', () => {
    const plain = install(ALL);
    expect(gitOf(plain)).toBeUndefined();
    for (const path of [...INSTRUCTIONS, '.mcp.json', '.codex/config.toml', '.dev/memory'])
      expect([path, existsSync(at(path)), doesOf(plain, path)]).toEqual([path, false, undefined]);
    for (const path of ['.claude/settings.json', '.gemini/settings.json', '.dev/install.json'])
      expect(read(path)).not.toMatch(/mcp|"with"/);
    expect(JSON.stringify(uninstall().json)).not.toMatch(/mcp|CLAUDE\.md|memory/);
  });

  it('is kept and renewed by a plain install, also for a harness that comes later', () => {
    install('--with memory --harness claude');
    const again = install('--harness claude');
    expect(new Set(rowsOf(again).map(({ does }) => does))).toEqual(new Set(['unchanged']));
    expect(gitOf(again)).toBe('already-installed');
    write('CLAUDE.md', read('CLAUDE.md').replace('Begin with', 'Began with'));
    rmSync(at('.git/hooks/post-commit'));
    rmSync(at('.dev/memory'), { recursive: true });
    const renewed = install('--harness claude,codex');
    expect([doesOf(renewed, 'CLAUDE.md'), doesOf(renewed, 'AGENTS.md'), doesOf(renewed, '.dev/memory/')]).toEqual([
      'updated',
      'created',
      'created',
    ]);
    expect(gitOf(renewed)).toBe('installed');
    expect(read('CLAUDE.md')).toBe(read('AGENTS.md'));
    expect(existsSync(at('.dev/memory'))).toBe(true);
  });

  it('is added to what is installed already, and all of it is taken back', () => {
    const before = lookAtAll();
    install(ALL);
    const plain = lookAtAll();
    install('--with memory --harness claude');
    expect(lookAtAll()).not.toEqual(plain);
    uninstall();
    expect(lookAtAll()).toEqual(before);
  });

  it('refuses an unknown name, no harness, and what is for all projects of a user', () => {
    const before = lookAtAll();
    expect(install(`--with remembrance ${ALL}`)).toMatchObject({
      code: 2,
      json: { error: { code: 'USAGE', fix: expect.stringContaining('memory') } },
    });
    expect(install('--with memory --harness git')).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } });
    expect(install(`--with memory --user ${ALL}`)).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } });
    expect(lookAtAll()).toEqual(before);
  });

  it('only tells in a dry run, and refuses an agent', () => {
    const before = lookAtAll();
    const dry = devCli(project, ['install', '--with', 'memory', '--harness', 'claude', '--dry-run']);
    for (const said of ['create    CLAUDE.md', 'create    .mcp.json', 'create    .dev/memory/', 'install   '])
      expect(dry.stdout).toContain(said);
    const unasked = devCli(project, ['install', '--with', 'memory', '--harness', 'claude', '--json']);
    expect(unasked).toMatchObject({ code: 3, json: { error: { fix: expect.stringContaining('--with memory') } } });
    expect(install(undefined, { env: { CLAUDECODE: '1' } })).toMatchObject({
      code: 3,
      json: { error: { code: 'TERMINAL_REQUIRED' } },
    });
    expect(lookAtAll()).toEqual(before);
  });
});

describe('what somebody else has', () => {
  const TEXTS: [string, string | null][] = [
    ['nothing', null],
    ['an empty file', ''],
    ['one line', '# Ours\n'],
    ['no final newline', '# Ours\n\nWe write *tests*.'],
    ['CRLF', '# Ours\r\n\r\nWe write tests.\r\n'],
  ];
  it.each(TEXTS)('stays byte for byte in instructions: %s', (_what, text) => {
    if (text !== null) for (const path of INSTRUCTIONS) write(path, text);
    const before = lookAtAll();
    expect(install().code).toBe(0);
    for (const path of INSTRUCTIONS) expect(read(path).startsWith(text ?? '')).toBe(true);
    uninstall();
    expect(lookAtAll()).toEqual(before);
    install();
    for (const path of INSTRUCTIONS) write(path, `${read(path)}\r\nMore of ours.`);
    uninstall();
    for (const path of INSTRUCTIONS)
      expect(read(path).replace(/\r?\nMore of ours\.$/, '')).toMatch(text?.trimEnd() ?? '');
  });

  const JSONS: [string, string][] = [
    ['no file of servers', ''],
    ['another server', '{\n  "mcpServers": {\n    "db": { "command": "db" }\n  }\n}\n'],
    ['one line', '{"mcpServers":{"db":{"command":"db","env":{"KEY":"s3cret"}}}}'],
    ['tabs, comments, CRLF, no final newline', '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"z": {}, // z\r\n\t}\r\n}'],
    ['an empty object', '{"mcpServers": {}}\n'],
    ['members in an order of their own', '{"z":1,"mcpServers":{"b":{},"a":{}},"a":2}\n'],
  ];
  it.each(JSONS)('stays byte for byte in JSON: %s', (_what, text) => {
    for (const path of ['.mcp.json', '.gemini/settings.json']) write(path, text);
    const before = lookAtAll();
    expect(install().code).toBe(0);
    for (const path of ['.mcp.json', '.gemini/settings.json']) expect(read(path)).toContain('"dev-cli"');
    expect(read('.dev/install.json')).not.toContain('s3cret');
    uninstall();
    expect(lookAtAll()).toEqual(before);
  });

  it.each([
    ['a table of their own', '# mine\nmodel = "x"\n\n[mcp_servers.db]\ncommand = "db" # theirs\n'],
    ['no final newline, CRLF', '[features]\r\nhooks = true'],
    ['an empty file', ''],
  ])('stays byte for byte in TOML: %s', (_what, text) => {
    write('.codex/config.toml', text);
    const before = lookAtAll();
    install();
    expect(parse(read('.codex/config.toml'))).toMatchObject({ mcp_servers: { 'dev-cli': SERVER } });
    expect(read('.codex/config.toml').startsWith(text)).toBe(true);
    uninstall();
    expect(lookAtAll()).toEqual(before);
  });

  it('keeps what was added since, and takes only what is ours', () => {
    install();
    const servers = JSON.parse(read('.mcp.json'));
    write('.mcp.json', JSON.stringify({ mcpServers: { ...servers.mcpServers, later: { command: 'l' } } }));
    write('.codex/config.toml', `model = "x"\n${read('.codex/config.toml')}[other]\na = 1\n`);
    write('AGENTS.md', `# First\n${read('AGENTS.md')}# Last\n`);
    uninstall();
    expect(JSON.parse(read('.mcp.json'))).toEqual({ mcpServers: { later: { command: 'l' } } });
    expect(read('.codex/config.toml')).toBe('model = "x"\n[other]\na = 1\n');
    expect(read('AGENTS.md')).toBe('# First\n# Last\n');
    expect(existsSync(at('CLAUDE.md'))).toBe(false);
  });

  it('keeps a server of the same name, and says so', () => {
    const theirs = '{"mcpServers":{"dev-cli":{"command":"other"}}}';
    for (const path of ['.mcp.json', '.gemini/settings.json']) write(path, theirs);
    write('.codex/config.toml', '[mcp_servers]\n"dev-cli" = { command = "other" }\n');
    const before = lookAtAll();
    for (const done of [install(), install(ALL)]) {
      expect(done.code, done.stdout).toBe(0);
      expect(notesOf(done)).toEqual(
        ['mcpServers.dev-cli in .mcp.json', 'mcp_servers.dev-cli in .codex/config.toml']
          .map((what) => expect.stringContaining(`${what} is not from dev-cli`))
          .concat(expect.stringContaining('mcpServers.dev-cli in .gemini/settings.json')),
      );
    }
    expect(read('.mcp.json')).toBe(theirs);
    expect(read('.codex/config.toml')).not.toContain('mcp"');
    expect(JSON.parse(read('.gemini/settings.json')).mcpServers['dev-cli']).toEqual({ command: 'other' });
    uninstall();
    expect(lookAtAll()).toEqual(before);
  });

  it('keeps a server that somebody has written just so', () => {
    for (const path of ['.mcp.json', '.gemini/settings.json'])
      write(path, JSON.stringify({ mcpServers: { 'dev-cli': SERVER } }));
    write('.codex/config.toml', '[mcp_servers.dev-cli]\ncommand = "dev-cli"\nargs = ["mcp"]\n');
    const before = lookAtAll();
    expect(notesOf(install('--with memory --harness claude,gemini'))).toEqual([]);
    install();
    write('.mcp.json', `${read('.mcp.json')}\n`);
    uninstall();
    write('.mcp.json', read('.mcp.json').trimEnd());
    expect(lookAtAll()).toEqual(before);
  });

  it.each([
    [
      'half a region',
      'CLAUDE.md',
      'a\n<!-- dev-cli:memory v1 -->\nb\n',
      'DOCUMENT_UNREADABLE',
      /^CLAUDE\.md has a damaged dev-cli region/,
    ],
    ['the other half', 'AGENTS.md', '<!-- /dev-cli:memory -->\n', 'DOCUMENT_UNREADABLE', /AGENTS\.md/],
    ['latin-1', 'GEMINI.md', Buffer.from('caf\xe9\n', 'latin1'), 'DATA_MALFORMED', /GEMINI\.md is not UTF-8/],
    ['no JSON', '.mcp.json', '{ "mcpServers": ', 'DATA_MALFORMED', /\.mcp\.json/],
    ['a list in the place of servers', '.mcp.json', '{"mcpServers":[]}', 'DATA_MALFORMED', /mcpServers/],
    ['servers twice', '.mcp.json', '{"mcpServers":{},"mcpServers":{}}', 'DATA_MALFORMED', /occurs twice/],
    ['no TOML', '.codex/config.toml', '[mcp_servers\n', 'DATA_MALFORMED', /config\.toml/],
    ['servers in one piece', '.codex/config.toml', 'mcp_servers = {}\n', 'DATA_MALFORMED', /config\.toml/],
    ['half a block in TOML', '.codex/config.toml', '# dev-cli:server v1\n', 'DOCUMENT_UNREADABLE', /config\.toml/],
  ])('is refused where it cannot be read, and nothing is changed: %s', (_what, path, text, code, message) => {
    write(path, text);
    const before = lookAtAll();
    const refused = install();
    expect([refused.code, refused.json.error?.code]).toEqual([expect.any(Number), code]);
    expect(refused.json.error?.message).toMatch(message);
    expect(lookAtAll()).toEqual(before);
  });

  it('is refused by uninstall, too, where a region has been halved since', () => {
    install();
    write('CLAUDE.md', read('CLAUDE.md').replace('<!-- /dev-cli:memory -->\n', ''));
    const before = lookAtAll();
    expect(uninstall().json.error?.code).toBe('DOCUMENT_UNREADABLE');
    expect(lookAtAll()).toEqual(before);
  });

  it('is not reached by a link that leads out of the project', () => {
    for (const path of ['CLAUDE.md', '.mcp.json', '.dev/memory']) {
      mkdirSync(dirname(at(path)), { recursive: true });
      symlinkSync(join(project.home, 'elsewhere'), at(path));
      expect(install().json.error?.code, path).toBe('IO');
      rmSync(at(path));
      expect(existsSync(join(project.home, 'elsewhere'))).toBe(false);
    }
  });
});

describe('uninstall', () => {
  it('of one of two harnesses leaves memory to the other, and of the last takes all', () => {
    const before = lookAtAll();
    install('--with memory --harness claude,codex');
    const one = uninstall('--harness claude');
    expect(gitOf(one)).toBeUndefined();
    expect(INSTRUCTIONS.map((path) => existsSync(at(path)))).toEqual([false, true, false]);
    expect([existsSync(at('.mcp.json')), existsSync(at('.dev/memory'))]).toEqual([false, true]);
    expect(doesOf(install('--harness codex'), 'AGENTS.md')).toBe('unchanged');
    const other = uninstall('--harness codex');
    expect(gitOf(other)).toBe('removed');
    expect(lookAtAll()).toEqual(before);
  });

  it('leaves the instructions that a link shares with a harness that stays', () => {
    write('AGENTS.md', '# Ours\n');
    symlinkSync('AGENTS.md', at('CLAUDE.md'));
    const before = lookAtAll();
    install('--with memory --harness claude,codex');
    const installed = read('AGENTS.md');
    expect(installed.match(/dev-cli:memory v1/g)).toHaveLength(1);
    uninstall('--harness claude');
    expect(read('AGENTS.md')).toBe(installed);
    uninstall('--harness codex');
    expect(lookAtAll()).toEqual(before);
  });

  it('leaves what is remembered, which is forgotten by hand', () => {
    install('--with memory --harness claude');
    devCli(project, ['memory', 'decide', '--text', 'Use SQLite']);
    const removed = uninstall();
    expect(rowsOf(removed)).toContainEqual(
      expect.objectContaining({ path: '.dev/memory/', does: 'kept', why: expect.stringContaining('by hand') }),
    );
    expect(JSON.parse(devCli(project, ['memory', 'show', '--json']).stdout).decisions).toHaveLength(1);
  });

  it('in a clone goes by the marks', () => {
    write('AGENTS.md', '# Ours\n');
    install();
    rmSync(at('.dev'), { recursive: true });
    uninstall();
    expect(read('AGENTS.md')).toBe('# Ours\n');
    expect([existsSync(at('CLAUDE.md')), existsSync(at('.codex/config.toml'))]).toEqual([false, false]);
  });
});

describe('where it is installed', () => {
  it('needs no repository', () => {
    rmSync(at('.git'), { recursive: true });
    const before = lookAtAll();
    const done = install();
    expect([done.code, gitOf(done)]).toEqual([0, 'not-git']);
    expect(existsSync(at('CLAUDE.md'))).toBe(true);
    uninstall();
    expect(lookAtAll()).toEqual(before);
  });

  it('tells that git’s hook is refused, and does the rest', () => {
    execFileSync('git', ['config', 'core.hooksPath', '.husky/_'], { cwd: project.root, env: project.env });
    const before = lookAtAll();
    const done = install();
    expect(done, done.stdout).toMatchObject({ code: 0, json: { ok: true, git: { status: 'refused' } } });
    expect(read('CLAUDE.md')).toContain('dev-cli:memory');
    expect(install(`--with memory --harness claude,git`).code).toBe(3);
    uninstall();
    expect(lookAtAll()).toEqual(before);
  });

  it('serves a project in a sub-directory, at a path with blank and quote', () => {
    const top = join(project.home, "a b'c");
    const sub = join(top, 'sub');
    mkdirSync(sub, { recursive: true });
    execFileSync('git', ['init', '-q'], { cwd: top, env: project.env });
    const before = lookAtAll(top);
    const there = { cwd: sub };
    const done = install(`--with memory ${ALL} --root .`, there);
    expect([done.code, gitOf(done)], done.stdout).toEqual([0, 'installed']);
    for (const path of [...INSTRUCTIONS, ...SERVERS, '.dev/memory'])
      expect(existsSync(join(sub, path)), path).toBe(true);
    expect(readFileSync(join(top, '.git/hooks/post-commit'), 'utf8')).toContain('dev-cli: post-commit');
    expect(new Set(rowsOf(install(ALL, there)).map(({ does }) => does))).toEqual(new Set(['unchanged']));
    uninstall('', there);
    expect(lookAtAll(top)).toEqual(before);
  });

  it('switches the memory of the clone on, from a linked work tree', () => {
    const tree = join(project.home, 'tree');
    execFileSync('git', ['worktree', 'add', '-q', tree], { cwd: project.root, env: project.env });
    const done = install('--with memory --harness claude', { cwd: tree });
    expect(done.code, done.stdout).toBe(0);
    expect([existsSync(at('.dev/memory')), existsSync(join(tree, '.dev/memory'))]).toEqual([true, false]);
    expect(existsSync(join(tree, 'CLAUDE.md'))).toBe(true);
    const status = () => execFileSync('git', ['status', '--short'], { cwd: project.root, env: project.env });
    writeFileSync(at('.dev/memory/facts.jsonl'), '\n{}\n');
    expect(String(status())).toBe('');
    expect(uninstall('', { cwd: tree }).code).toBe(0);
    expect(existsSync(at('.dev/memory'))).toBe(true);
  });
});
