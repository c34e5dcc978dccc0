import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  begin,
  committed,
  doAll,
  generate,
  goOn,
  hand,
  lastCommit,
  making,
  planOf,
  RUN,
  worker,
} from '../../adversarial/binary/executing.js';
import { devCli, nextOf, runDir, runPrinted, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook, QUIET } from '../../support/hooks.js';

// No plan may change the files of git and of the harnesses (documents.md, Semantic checks; harness.md, Guard;
// engine.md, Commits).

useProject({ sample: null });

const RESERVED = [
  ['.git', 'git'],
  ['.git/**', 'git'],
  ['.git/hooks/pre-commit', 'git'],
  ['./.GIT/hooks/pre-commit', 'git'],
  ['GIT~1/hooks/pre-commit', 'git'],
  ['.g\u200bit/config', 'git'],
  ['.g?t/hooks/*', 'git'],
  ['.[g]it/config', 'git'],
  ['{src,.git}/**', 'git'],
  ['**/.git/**', 'git'],
  ['vendor/lib/.git/hooks/pre-commit', 'git'],
  ['.claude/settings.json', 'Claude Code'],
  ['.claude/settings.local.json', 'Claude Code'],
  ['.claude/**', 'Claude Code'],
  ['.Claude/hooks/stop.sh', 'Claude Code'],
  ['.claude/skills/x/SKILL.md', 'Claude Code'],
  ['web/.claude/agents/x.md', 'Claude Code'],
  ['.mcp.json', 'Claude Code'],
  ['.codex/config.toml', 'Codex CLI'],
  ['.agents/skills/x/SKILL.md', 'Codex CLI'],
  ['.gemini/settings.json', 'Gemini CLI'],
] as const;

const planFor = (...files: string[]) => planOf(making('todo-1', [['true']], { files }));

describe('a plan that gives to a todo what is reserved', () => {
  it('is refused with the todo and each path', () => {
    generate(project, planFor('src/**', ...RESERVED.map(([path]) => path)));
    const { code, json } = devCli(project, ['plan', 'validate', RUN, '--json']);
    expect(code).toBe(3);
    const findings = json['findings'] as { pointer: string; problem: string; target: string }[];
    expect(findings.map(({ pointer, target }) => [pointer, target])).toEqual(
      RESERVED.map((_, index) => [`/todos/0/files/${index + 1}`, 'todo-1']),
    );
    for (const [index, [path, owner]] of RESERVED.entries()) {
      const said = findings[index]?.problem;
      expect(said).toContain(`path ${JSON.stringify(path.replace('\u200b', ''))} reaches into .`);
      expect(said).toContain(`which belongs to ${owner}: no plan changes it`);
    }
    expect(devCli(project, ['plan', 'generate', RUN]).json.error).toMatchObject({ code: 'SCHEMA_INVALID' });
  });

  it('is not carried out, also where a clone brings it along', () => {
    generate(project, planFor('.git/hooks/**'));
    const recipe = writeRecipe(
      project,
      'short',
      'name: short\ntype: engine\nskill: execute\nconfig: { depth: standard }\n',
    );
    const { json } = devCli(project, ['init', RUN, '--recipe', recipe, '--autopilot']);
    expect(json.error).toMatchObject({ code: 'PLAN_MISSING', details: [{ target: 'plan-content.json' }] });
    expect(existsSync(join(runDir(project, RUN), 'state.json'))).toBe(false);
  });

  it('may forbid what belongs to a harness, which gives nobody anything', () => {
    const plan = planOf(
      making('todo-1', [['true']], { mustNotDo: [{ text: 'Leave the settings.', paths: ['.claude/**'] }] }),
    );
    generate(project, plan);
    expect(devCli(project, ['plan', 'validate', RUN]).code).toBe(0);
  });

  it('is imported without these paths, which are named', () => {
    const files = ['.claude/settings.json', '.git/hooks/pre-commit', 'src/a.ts'].map((path) => `- Modify: \`${path}\``);
    const text = [
      '# Hooks Implementation Plan',
      '### Task 1: Write',
      '**Files:**',
      ...files,
      '- [ ] **Step 1: Write it**',
    ];
    writeProjectFile(project, 'hooks.md', `${text.join('\n\n')}\n`);
    const { code, json, stdout } = devCli(project, ['plan', 'import', RUN, 'hooks.md']);
    expect(code, stdout).toBe(0);
    expect(JSON.stringify(json)).toContain('the path reaches into .claude, which belongs to Claude Code');
    expect(JSON.stringify(json)).toContain('the path reaches into .git, which belongs to git');
    const todos = JSON.parse(readFileSync(join(runDir(project, RUN), 'plan-content.json'), 'utf8')).todos;
    expect(todos[0].files).toEqual(['src/a.ts']);
    expect(devCli(project, ['plan', 'validate', RUN]).code).toBe(0);
  });
});

describe('while a plan is carried out', () => {
  const asWorker = (path: string, cwd = project.root) =>
    callHook(project, 'pre-tool-use', 'claude', {
      session_id: 's-1',
      cwd,
      agent_id: 'w-1',
      tool_name: 'Write',
      tool_input: { file_path: path, content: 'x' },
    });

  it.each([['**'], []])('the guard keeps a worker from it, whatever its globs take in (%s)', (...files) => {
    begin(project, planFor(...files));
    expect(asWorker(join(project.root, 'src/any.ts'))).toEqual(QUIET);
    mkdirSync(join(project.root, 'made'));
    symlinkSync(join(project.root, '.git/hooks'), join(project.root, 'made/link'));
    for (const path of [
      '.git/hooks/pre-commit',
      '.GIT/config',
      'src/../.git/config',
      'made/link/pre-commit',
      '.claude/settings.json',
      'web/.claude/skills/x/SKILL.md',
      '.codex/config.toml',
      '.agents/skills/x/SKILL.md',
      '.gemini/settings.json',
      '.mcp.json',
    ]) {
      const { code, stderr } = asWorker(join(project.root, path));
      expect([path, code]).toEqual([path, 2]);
      expect(stderr).toMatch(/belongs to (?:git|Claude Code|Codex CLI|Gemini CLI): no run changes it/);
    }
    const shell = { session_id: 's-1', cwd: project.root, agent_id: 'w-1', tool_name: 'Bash' };
    for (const command of [
      'echo x > .git/hooks/pre-commit',
      'cp made/x .claude/settings.json',
      'chmod +x .git/hooks/x',
    ]) {
      expect(callHook(project, 'pre-tool-use', 'claude', { ...shell, tool_input: { command } }).code, command).toBe(2);
    }
  });

  it('nor does it where the project is a part of its repository', () => {
    const below = { ...project, root: join(project.root, 'part') };
    mkdirSync(below.root);
    writeProjectFile(below, '.dev/.keep', '');
    begin(below, planFor('**'));
    const write = (path: string) =>
      callHook(below, 'pre-tool-use', 'claude', {
        session_id: 's-1',
        cwd: below.root,
        agent_id: 'w-1',
        tool_name: 'Write',
        tool_input: { file_path: path, content: 'x' },
      });
    expect(write('../.git/hooks/pre-commit').stderr).toContain('belongs to git');
    expect(write('../beside.txt')).toEqual(QUIET);
  });

  it('no commit takes it in, and what is left is named', () => {
    writeProjectFile(project, '.claude/settings.json', '{}\n');
    const first = begin(project, planFor('**'));
    writeProjectFile(project, '.claude/settings.json', '{"hooks":{}}\n');
    writeProjectFile(project, '.mcp.json', '{}\n');
    writeProjectFile(project, 'src/a.ts', 'a\n');
    for (const task of first.tasks) {
      hand(project, task, worker({ filesChanged: ['src/a.ts', '.claude/settings.json', '.mcp.json'] }));
    }
    const { json, stdout } = runPrinted(project, first.ack ?? '');
    goOn(project, nextOf(json));
    expect(committed(project)).toEqual(['todo-1']);
    expect(lastCommit(project)).toEqual(['src/a.ts']);
    expect(stdout).toContain('.mcp.json (not for a plan to change)');
  });

  it('a result need not list it, and a worker may not ask for it', () => {
    const first = begin(project, planFor('src/**', 'made/**'));
    writeProjectFile(project, 'made/.claude/settings.json', '{}\n');
    const [task] = first.tasks;
    if (task === undefined) throw new Error('no task');
    hand(project, task, worker({ status: 'BLOCKED', reason: 'x', needs: { files: ['.claude/settings.json'] } }));
    const refused = runPrinted(project, first.ack ?? '');
    expect(JSON.stringify(refused.json)).toContain('which belongs to Claude Code');
    doAll(project, first);
    expect(committed(project)).toEqual(['todo-1']);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
  });
});
