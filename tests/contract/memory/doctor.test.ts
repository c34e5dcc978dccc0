import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// harness.md, Doctor: the findings about memory.

const create = freshProjects();
const book = (project: Project, file: string) => join(project.root, '.dev/memory/book', file);
const decide = (project: Project, text: string) => devCli(project, ['memory', 'decide', '--text', text]);

interface Finding {
  check: string;
  severity: string;
  message: string;
  harness?: string;
  fix?: string;
}

function allOf(project: Project, env: NodeJS.ProcessEnv = {}): Finding[] {
  return devCli(project, ['doctor', '--json'], { env }).json['findings'] as Finding[];
}

/** Returns the findings about memory's book. */
function findingsOf(project: Project): unknown[] {
  const isOther = ({ message }: Finding) => /git hook|dev-cli mcp/.test(message);
  return allOf(project).filter((one) => ['memory', 'wing'].includes(one.check) && !isOther(one));
}

describe('doctor', () => {
  it('says nothing of memory where there is none', () => {
    expect(allOf(create()).filter(({ check }) => ['memory', 'wing'].includes(check))).toEqual([]);
  });

  it('proves that the book is what its journal says', () => {
    const project = create();
    decide(project, 'Use Redis');
    decide(project, 'Use SQLite');
    const message = 'The book of memory matches its journal: 2 entries.';
    expect(findingsOf(project)).toEqual([{ check: 'memory', severity: 'ok', message }]);
  });

  it('names a book that somebody else has changed', () => {
    const project = create();
    decide(project, 'Use Redis');
    writeFileSync(
      book(project, 'state.json'),
      readFileSync(book(project, 'state.json'), 'utf8').replace('Redis', 'Mongo'),
    );
    const fix = 'Remove .dev/memory/book/state.json: it is rebuilt from the journal.';
    const message = expect.stringContaining('is "Use Mongo"; according to the journal "Use Redis"');
    expect(findingsOf(project)).toEqual([{ check: 'memory', severity: 'problem', message, fix }]);
    rmSync(book(project, 'state.json'));
    decide(project, 'Use SQLite');
    expect(findingsOf(project)).toEqual([expect.objectContaining({ severity: 'ok' })]);
  });

  it('names a journal that cannot be read, and tells the rest', () => {
    const project = create();
    for (const text of ['a', 'b', 'c']) decide(project, text);
    const lines = readFileSync(book(project, 'events.jsonl'), 'utf8').split('\n');
    writeFileSync(book(project, 'events.jsonl'), [lines[0], 'no entry', ...lines.slice(2)].join('\n'));
    const { json } = devCli(project, ['doctor', '--json']);
    expect(findingsOf(project)).toEqual([
      expect.objectContaining({ severity: 'problem', message: expect.any(String), fix: expect.anything() }),
    ]);
    expect((json['findings'] as unknown[]).length).toBeGreaterThan(2);
  });

  it('looks at an empty memory without a word against it', () => {
    const project = create();
    decide(project, 'a');
    rmSync(book(project, ''), { recursive: true });
    expect(findingsOf(project)).not.toContainEqual(expect.objectContaining({ severity: 'problem' }));
  });
});

describe('doctor, where memory is installed', () => {
  let project: Project;
  let bin: string;
  beforeEach(() => {
    project = create();
    bin = join(dirname(project.root), 'planted');
    mkdirSync(bin);
    const words = ['install', '--with', 'memory', '--harness', 'claude,codex,gemini', '--yes'];
    expect(devCli(project, words).code).toBe(0);
  });

  const at = (path: string) => join(project.root, path);
  const replace = (path: string, from: string | RegExp, to: string) =>
    writeFileSync(at(path), readFileSync(at(path), 'utf8').replace(from, to));
  /** Puts a program first on the PATH. */
  const plant = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
    return { PATH: `${bin}:${project.env['PATH']}` };
  };
  const faultsOf = (env?: NodeJS.ProcessEnv) =>
    allOf(project, env).filter(({ check, severity }) => {
      return severity !== 'ok' && ['memory', 'wing', 'installed', 'settings'].includes(check);
    });
  const AGAIN = (harness: string) => `dev-cli install --harness ${harness}`;

  it('proves that the server answers and that the block notes a commit, and writes nothing', () => {
    const before = execFileSync('git', ['status', '--short', '--ignored'], { cwd: project.root, env: project.env });
    const found = allOf(project).filter(({ check }) => check === 'memory');
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      expect.stringMatching(/^ok: The book/),
      'ok: `dev-cli mcp` offers 7 tools.',
      'ok: The git hook records each commit with its session.',
    ]);
    expect(faultsOf()).toEqual([]);
    expect(readFileSync(at('.git/dev-cli-commits'), 'utf8')).toBe('');
    expect(execFileSync('git', ['status', '--short', '--ignored'], { cwd: project.root, env: project.env })).toEqual(
      before,
    );
  });

  it.each([
    ['does not start', 'exit 1', /ended with exit code 1/],
    ['says something else', 'echo hello', /ended with exit code 0/],
    ['offers nothing', `echo '{"result":{"tools":[]}}'`, /ended with exit code 0/],
  ])('finds a server that %s', (_what, text, why) => {
    const [fault] = faultsOf(plant('dev-cli', text)).filter(({ check }) => check === 'memory');
    expect(fault).toMatchObject({ severity: 'problem', message: expect.stringMatching(why) });
    expect(fault?.fix).toContain('dev-cli mcp </dev/null');
  });

  it('finds a block that notes nothing', () => {
    const [fault, ...more] = faultsOf(plant('date', 'exit 1'));
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ check: 'memory', severity: 'problem' });
    expect(fault?.message).toMatch(/nothing was recorded/);
  });

  it('finds a block that is outdated, gone, or cannot be put in', () => {
    const fix = 'dev-cli install --harness git';
    const hook = '.git/hooks/post-commit';
    replace(hook, 'v1', 'v0');
    expect(faultsOf()).toEqual([{ check: 'memory', severity: 'problem', message: expect.any(String), fix }]);
    rmSync(at('.git/dev-cli-commits'));
    replace(hook, 'v0', 'v1');
    expect(faultsOf()).toEqual([expect.objectContaining({ severity: 'problem', fix })]);
    rmSync(at(hook));
    expect(faultsOf()).toEqual([expect.objectContaining({ severity: 'problem', fix })]);
    execFileSync('git', ['config', 'core.hooksPath', '.husky/_'], { cwd: project.root, env: project.env });
    expect(faultsOf()).toEqual([expect.objectContaining({ severity: 'note', fix })]);
  });

  it('only mentions a block that nobody has asked for', () => {
    devCli(project, ['uninstall', '--yes']);
    decide(project, 'Use Redis');
    const [note] = allOf(project).filter(({ message }) => message.includes('git hook'));
    expect(note).toMatchObject({ severity: 'note', fix: 'dev-cli install --harness git' });
  });

  it('finds what is missing or outdated of servers and instructions, in each harness', () => {
    rmSync(at('.mcp.json'));
    rmSync(at('AGENTS.md'));
    replace('GEMINI.md', 'Begin with', 'Began with');
    replace('.codex/config.toml', '"mcp"', '"cpm"');
    const settings = JSON.parse(readFileSync(at('.gemini/settings.json'), 'utf8'));
    delete settings.mcpServers;
    writeFileSync(at('.gemini/settings.json'), JSON.stringify(settings));
    replace('.claude/settings.json', /"mcp__dev-cli"/, '"other"');
    const found = faultsOf().map(({ harness, message, fix }) => [harness, message, fix]);
    expect(found).toEqual([
      ['claude', 'Missing: .mcp.json.', AGAIN('claude')],
      ['claude', 'Permissions missing in .claude/settings.json: mcp__dev-cli.', AGAIN('claude')],
      ['codex', 'Missing: AGENTS.md.', AGAIN('codex')],
      ['codex', 'Outdated: .codex/config.toml.', AGAIN('codex')],
      ['gemini', 'Outdated: GEMINI.md.', AGAIN('gemini')],
      ['gemini', 'mcpServers.dev-cli is missing in .gemini/settings.json.', AGAIN('gemini')],
    ]);
    expect(devCli(project, ['install', '--harness', 'claude,codex,gemini', '--yes']).code).toBe(0);
    expect(faultsOf()).toEqual([]);
  });

  it('names servers of somebody else, and files that cannot be read', () => {
    replace('.mcp.json', '"mcp"', '"other"');
    expect(faultsOf()).toEqual([
      expect.objectContaining({
        severity: 'note',
        message: expect.stringMatching(/not from dev-cli/),
        harness: 'claude',
      }),
    ]);
    writeFileSync(at('.mcp.json'), '{');
    replace('AGENTS.md', '<!-- /dev-cli:memory -->', '');
    expect(faultsOf()).toEqual([
      expect.objectContaining({ severity: 'problem', harness: 'claude', fix: expect.stringContaining('Repair') }),
      expect.objectContaining({ severity: 'problem', harness: 'codex', fix: expect.stringContaining('AGENTS.md') }),
    ]);
  });
});
