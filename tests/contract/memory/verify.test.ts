import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageOf, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { BINARY, type Project } from '../../support/project.mjs';

// memory.md, Commands; Truth: `memory verify` runs checks and records their results.

const create = freshProjects();

interface Said {
  ok: boolean;
  stored?: string;
  id?: string;
  entry?: Record<string, unknown>;
  masked?: boolean;
  advice?: string;
  restore?: string;
  ran?: { id: string; entry: Record<string, unknown> }[];
  skipped?: { id: string; why: string }[];
  error?: { code: string };
}

/** Runs dev-cli as a separate process, since it writes a command's output to its own stderr. */
function call(project: Project, args: string[], cwd = project.root, input = '') {
  const options = { cwd, env: project.env, encoding: 'utf8', input } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'memory', ...args], options);
  return { code: status, json: JSON.parse(stdout) as Said, stderr };
}
const verify = (project: Project, ...argv: string[]) => call(project, ['verify', '--', ...argv]);
const sh = (project: Project, script: string) => verify(project, 'sh', '-c', script);
const git = (project: Project, ...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' });

describe('a command that is verified', () => {
  it('runs where the call is made, with its output on standard error and its input', () => {
    const project = create();
    const script = 'pwd; echo oops >&2; cat; exit 0';
    const said = call(project, ['verify', '--', 'sh', '-c', script], join(project.root, 'src'), 'typed');
    expect(said.stderr).toBe(`${join(project.root, 'src')}\noops\ntyped`);
    expect(said).toMatchObject({ code: 0, json: { ok: true, stored: 'added', id: 'm1' } });
    expect(said.json.entry).toMatchObject({
      command: `sh -c "${script}"`,
      outcome: 'passed',
      exit: 0,
      how: 'ran',
      argv: ['sh', '-c', script],
      cwd: 'src',
      content: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  it('is recorded where it fails, and answers with exit 1', () => {
    const project = create();
    expect(sh(project, 'exit 3')).toMatchObject({
      code: 1,
      json: { ok: false, entry: { outcome: 'failed', exit: 3 } },
    });
    expect(sh(project, 'exit 3').json.stored).toBe('replaced');
    expect(
      verify(project, 'node', '-e', 'process.exit(process.argv.length)', '--', '--again', '-x').json,
    ).toMatchObject({
      entry: { exit: 3, argv: ['node', '-e', 'process.exit(process.argv.length)', '--', '--again', '-x'] },
    });
  });

  it('is not recorded where a signal ended it, or nothing could be started', () => {
    const project = create();
    const before = imageOf(project);
    expect(sh(project, 'kill -9 $$')).toMatchObject({ code: 1, json: { error: { code: 'COMMAND_FAILED' } } });
    for (const program of ['no-such-program', './README.md/x', ''])
      expect(verify(project, program)).toMatchObject({ code: 1, json: { error: { code: 'COMMAND_FAILED' } } });
    expect(imageOf(project)).toEqual(before);
  });

  it('ends with the call that a signal ends, and is not recorded', async () => {
    const project = create();
    const script = 'trap "echo gone > ended; exit 0" TERM; echo $$ > begun; while :; do sleep 0.05; done';
    const child = spawn(process.execPath, [BINARY, 'memory', 'verify', '--', 'sh', '-c', script], {
      cwd: project.root,
      env: project.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    await expect.poll(() => existsSync(join(project.root, 'begun')), { timeout: 20_000 }).toBe(true);
    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, JSON.parse(stdout)]).toMatchObject([130, { error: { code: 'INTERRUPTED' } }]);
    expect(existsSync(join(project.root, 'ended'))).toBe(true);
    expect(existsSync(join(project.root, '.dev/memory'))).toBe(false);
  });

  it('keeps no secret, and then cannot be repeated', () => {
    const project = create();
    const key = `AKIA${'D'.repeat(16)}`;
    const { json } = verify(project, 'false', key);
    expect(json).toMatchObject({ masked: true, entry: { command: 'false [masked]' } });
    mkdirSync(join(project.root, key));
    const within = call(project, ['verify', '--', 'false'], join(project.root, key));
    expect(within.json.entry).toMatchObject({ cwd: '[masked]' });
    for (const { entry } of [json, within.json]) expect(entry).not.toHaveProperty('argv');
    expect(readFileSync(join(project.root, '.dev/memory/book/events.jsonl'), 'utf8')).not.toContain(key);
    const why = 'it contains a secret, which is not recorded';
    expect(call(project, ['verify', '--again']).json).toMatchObject({ stored: 'none', skipped: [{ why }, { why }] });
  });

  it('proves what it began with where files change meanwhile', () => {
    const project = create();
    expect(sh(project, 'date +%N >> src/made.js').json.advice).toContain('Files changed');
    expect(call(project, ['verify', '--again']).json.ran).toHaveLength(1);
  });
});

describe('what was verified', () => {
  it('says nothing of changes where they cannot be told', () => {
    const project = create();
    rmSync(join(project.root, '.git'), { recursive: true });
    const { code, json } = verify(project, 'git', 'init', '--quiet');
    expect([code, json.entry?.['content'], json.advice]).toEqual([0, null, undefined]);
  });

  it('is repeated once something changes, or while it fails', () => {
    const project = create();
    sh(project, 'test ! -f broken');
    expect(call(project, ['verify', '--again'])).toMatchObject({
      code: 0,
      json: { ok: true, stored: 'none', ran: [] },
    });
    git(project, 'commit', '--allow-empty', '-qm', 'nothing');
    expect(call(project, ['verify', '--again']).json.stored).toBe('none');
    writeProjectFile(project, 'broken', '');
    const broken = call(project, ['verify', '--again']);
    expect(broken).toMatchObject({
      code: 1,
      json: { ok: false, stored: 'replaced', ran: [{ entry: { outcome: 'failed' } }] },
    });
    rmSync(join(project.root, 'broken'));
    expect(call(project, ['verify', '--again'])).toMatchObject({ code: 0, json: { ran: [{ id: 'm3' }] } });
    expect(call(project, ['verify', '--again']).json.ran).toEqual([]);
  });

  it('that cannot be run any more is named, and the others are repeated', () => {
    const project = create();
    const gone = join(project.root, 'gone');
    mkdirSync(gone);
    expect(call(project, ['verify', '--', 'true'], gone).code).toBe(0);
    sh(project, 'true');
    rmSync(gone, { recursive: true });
    writeProjectFile(project, 'new', '');
    expect(call(project, ['verify', '--again'])).toMatchObject({
      code: 1,
      json: {
        ok: false,
        ran: [{ id: 'm3', entry: { outcome: 'passed' } }],
        skipped: [{ id: 'm1', command: 'true', why: expect.stringContaining('could not be started') }],
      },
    });
  });

  it('is not run in a copy of the project', () => {
    const project = create();
    sh(project, 'touch ran; false');
    rmSync(join(project.root, 'ran'));
    const copy = `${project.root}-copy`;
    cpSync(project.root, copy, { recursive: true });
    expect(call(project, ['verify', '--again'], copy).json).toMatchObject({
      stored: 'none',
      skipped: [{ id: 'm1', why: 'it was recorded elsewhere' }],
    });
    expect(existsSync(join(copy, 'ran'))).toBe(false);
  });

  it('is a claim where it is told, which is never repeated', () => {
    const project = create();
    const claim = call(project, ['verify', '--text', 'npm test -> 12 passed', '--outcome', 'passed']).json;
    expect(claim.entry).toMatchObject({ command: 'npm test', result: '12 passed', outcome: 'passed', how: 'told' });
    expect(call(project, ['verify', '--text', 'npm test']).json).toMatchObject({
      stored: 'replaced',
      entry: { outcome: 'unknown' },
      advice: expect.stringContaining('->'),
    });
    const before = imageOf(project);
    for (const text of ['-> ok', 'npm test -> ', ' ']) {
      expect(call(project, ['verify', '--text', text]).json.error).toMatchObject({ code: 'DATA_MISSING' });
    }
    expect(call(project, ['verify']).json.error).toMatchObject({ code: 'USAGE' });
    expect(call(project, ['verify', '--again']).json).toMatchObject({ stored: 'none', ran: [], skipped: [] });
    expect(imageOf(project)).toEqual(before);
  });
});

describe('a checkpoint', () => {
  it('keeps what git does not ignore, moves nothing, and is restored as it says', () => {
    const project = create();
    writeProjectFile(project, 'src/new.js', 'new\n');
    writeProjectFile(project, 'README.md', 'changed\n');
    const [status, head] = [git(project, 'status', '--porcelain'), git(project, 'rev-parse', 'HEAD')];
    const { json } = call(project, ['checkpoint', '--message', 'before']);
    expect(json).toMatchObject({
      stored: 'added',
      entry: { ref: expect.stringMatching(/^refs\/dev-cli\/checkpoints\//) },
    });
    expect([git(project, 'status', '--porcelain'), git(project, 'rev-parse', 'HEAD')]).toEqual([status, head]);
    expect(call(project, ['checkpoint', '--message', 'again']).json).toMatchObject({ stored: 'none', id: 'm1' });
    rmSync(join(project.root, 'src/new.js'));
    writeFileSync(join(project.root, 'README.md'), 'lost\n');
    execFileSync('sh', ['-c', json.restore ?? ''], { cwd: join(project.root, 'src'), env: project.env });
    expect(readFileSync(join(project.root, 'src/new.js'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(project.root, 'README.md'), 'utf8')).toBe('changed\n');
    expect(call(project, ['forget', 'm1']).json.advice).toContain('refs/dev-cli/checkpoints/');
  });

  it('says what is wrong where temporary files cannot be made', () => {
    const project = create();
    const env = { ...project.env, TMPDIR: join(project.root, 'not-there') };
    expect(call({ ...project, env }, ['checkpoint', '--message', 'x']).json.error).toMatchObject({
      code: 'IO',
      message: expect.stringContaining('not-there'),
    });
  });

  it('needs a repository', () => {
    const project = create();
    rmSync(join(project.root, '.git'), { recursive: true });
    const refused = call(project, ['checkpoint', '--message', 'x']);
    expect(refused).toMatchObject({ code: 3, json: { error: { code: 'NEEDS_MISSING' } } });
    expect(sh(project, 'true').json.entry).toMatchObject({
      content: null,
      outcome: 'passed',
      branch: null,
      head: null,
    });
  });
});
