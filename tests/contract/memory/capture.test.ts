import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import type { HookEventName } from '../../../src/wings/harness/adapter.js';
import { devCli, imageOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook, QUIET, readRecorded } from '../../support/hooks.js';

// memory.md, Hooks: the facts that the hooks capture, and the context that a session gets.

let directory: string;
useProject();
beforeEach(() => {
  directory = join(project.root, '.dev/memory');
});

const remember = () => mkdirSync(directory, { recursive: true });
const base = (more: object = {}) => ({ session_id: 's-1', cwd: project.root, ...more });
const hook = (event: HookEventName, payload: object, harness: HarnessId = 'claude') =>
  callHook(project, event, harness, payload);
const facts = () =>
  readFileSync(join(directory, 'facts.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const edit = (path: string, more: object = {}) =>
  base({ tool_name: 'Write', tool_input: { file_path: join(project.root, path), content: 'x' }, ...more });

describe('what the hooks capture (memory.md, Hooks)', () => {
  it.each(HARNESS_IDS)('of what %s sends, as recorded', (harness) => {
    remember();
    for (const { event, payload } of readRecorded(harness, project.root)) {
      if (event === 'pre-tool-use') continue;
      const { code, stderr } = hook(event, payload, harness);
      expect([code, stderr], event).toEqual([0, '']);
    }
    const all = facts();
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['request', 'edit', 'said']));
    const paths = all.flatMap(({ path }) => (typeof path === 'string' ? [path] : []));
    expect(paths.some((path) => path.startsWith('.dev') || path.startsWith('/'))).toBe(false);
    // The play in which these three were recorded.
    if (['claude', 'codex', 'gemini'].includes(harness)) {
      expect(paths).toContain('exit1.txt');
      expect(all.filter(({ kind }) => kind === 'said').map(({ text }) => text)).toContain('final answer');
    }
    for (const { at, by, branch, head } of all) {
      expect(by).toMatchObject({ kind: 'hook', harness });
      expect([typeof at, typeof branch, String(head).length]).toEqual(['string', 'string', 40]);
    }
    expect(existsSync(join(directory, 'book'))).toBe(false);
  });

  it('only where a memory is, of a person and of the main agent, masked and cut', () => {
    expect(hook('user-prompt-submit', base({ prompt: 'no memory' }))).toEqual(QUIET);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
    remember();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    hook('user-prompt-submit', base({ prompt: `use ${secret}\n${'word '.repeat(100)}` }));
    hook('user-prompt-submit', base({ prompt: 'of a subagent', agent_id: 'a1' }));
    hook('user-prompt-submit', base({ prompt: '<task-notification> x' }));
    hook('user-prompt-submit', base({ prompt: ' \n' }));
    hook('stop', base({ last_assistant_message: `done ${'x'.repeat(1000)}` }));
    hook('stop', base());
    const [request, said, ...rest] = facts();
    expect(rest).toEqual([]);
    expect(request).toMatchObject({ kind: 'request' });
    expect(String(request?.['text'])).toMatch(/^use \[masked\] word/);
    expect(String(request?.['text']).length).toBeLessThanOrEqual(200);
    expect(String(said?.['text']).length).toBeLessThanOrEqual(400);
    expect(JSON.stringify(facts())).not.toContain(secret);
  });

  it('of edits those inside, which git does not ignore and which did not fail; none of a shell', () => {
    remember();
    writeFileSync(join(project.root, '.gitignore'), 'ignored/\n');
    symlinkSync(project.home, join(project.root, 'out'));
    for (const path of ['src/a b.js', 'ignored/x', '.dev/x', '.git/config', '../outside', 'out/x', '-n'])
      expect(hook('post-tool-use', edit(path))).toEqual(QUIET);
    hook('post-tool-use', base({ tool_name: 'Bash', tool_input: { command: 'echo x > shell.txt' } }));
    const notebook = { notebook_path: join(project.root, 'nb.ipynb'), new_source: 'x' };
    hook('post-tool-use', base({ tool_name: 'NotebookEdit', tool_input: notebook }));
    const patch = {
      tool_name: 'apply_patch',
      tool_input: { command: '*** Begin Patch\n*** Add File: p.txt\n+x\n*** End Patch' },
    };
    hook('post-tool-use', base({ ...patch, tool_response: 'Exit code: 1\nno' }), 'codex');
    hook('post-tool-use', base({ ...patch, tool_response: 'Exit code: 0\nok' }), 'codex');
    expect(facts().map(({ path }) => path)).toEqual(['src/a b.js', '-n', 'nb.ipynb', 'p.txt']);
  });

  it('never fails an event, whatever is in the way', () => {
    remember();
    mkdirSync(join(directory, 'facts.jsonl'));
    expect(hook('user-prompt-submit', base({ prompt: 'x' }))).toEqual(QUIET);
    expect(hook('stop', base({ last_assistant_message: 'x' }))).toEqual(QUIET);
    expect(hook('post-tool-use', edit('a'))).toEqual(QUIET);
    chmodSync(directory, 0o500);
    expect(hook('session-start', base({ source: 'startup' })).code).toBe(0);
    chmodSync(directory, 0o700);
  });

  it('changes nothing that was decided', () => {
    devCli(project, ['memory', 'decide', '--text', 'Use SQLite', '--reason', 'one file']);
    const before = imageOf(project, '.dev/memory/book');
    hook('user-prompt-submit', base({ prompt: 'We use Postgres now' }));
    hook('post-tool-use', edit('a.js'));
    hook('stop', base({ last_assistant_message: 'decided: Postgres' }));
    hook('session-start', base({ source: 'compact' }));
    expect(imageOf(project, '.dev/memory/book')).toEqual(before);
  });
});

describe('a session that begins (memory.md, Hooks)', () => {
  const told = (harness: HarnessId, source = 'startup') => {
    const { code, stdout } = hook('session-start', base({ source }), harness);
    expect(code).toBe(0);
    return stdout === '' ? '' : String(JSON.parse(stdout).hookSpecificOutput.additionalContext);
  };

  it('is told where to look, when the context cannot be made', () => {
    devCli(project, ['memory', 'decide', '--text', 'Use SQLite', '--reason', 'one file']);
    writeProjectFile(project, '.ai/goals.yaml', 'goals: [');
    expect(told('claude')).toMatch(/^dev-cli remembers this project/);
  });

  it.each(HARNESS_IDS)('is told the context by %s, after a compaction, too', (harness) => {
    expect(told(harness)).toBe('');
    devCli(project, ['memory', 'decide', '--text', 'Use SQLite', '--reason', 'one file']);
    for (const source of ['startup', 'compact']) {
      expect(told(harness, source)).toContain('Use SQLite');
      expect(told(harness, source)).toContain('dev-cli memory decide');
    }
    for (let at = 0; at < 10; at += 1)
      devCli(project, ['memory', 'note', '--kind', 'tried', '--text', `${at} ${'long words '.repeat(33)}`]);
    for (let at = 0; at < 5; at += 1)
      devCli(project, ['memory', 'decide', '--text', `${at} ${'long words '.repeat(33)}`, '--reason', 'r'.repeat(300)]);
    const long = told(harness);
    expect(long.length).toBeLessThanOrEqual(2400);
    expect(long).toMatch(/\n…\ndev-cli remembers/);
  });

  it('in a linked work tree, of the memory of the main one', () => {
    devCli(project, ['memory', 'decide', '--text', 'Use SQLite']);
    const tree = join(project.home, 'tree');
    execFileSync('git', ['worktree', 'add', '-q', '-b', 'linked', tree], { cwd: project.root, env: project.env });
    const linked = { ...project, root: tree };
    const payload = { session_id: 's', cwd: tree };
    expect(callHook(linked, 'session-start', 'claude', { ...payload, source: 'startup' }).stdout).toContain(
      'Use SQLite',
    );
    callHook(linked, 'user-prompt-submit', 'claude', { ...payload, prompt: 'from the tree' });
    expect(facts().at(-1)).toMatchObject({ kind: 'request', branch: 'linked' });
    expect(existsSync(join(tree, '.dev'))).toBe(false);
  });
});
