import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { BINARY, type Project } from '../../support/project.mjs';

// memory.md, Handoff; Truth: the files that `handoff write` and `transfer` write.

const create = freshProjects();
const git = (project: Project, ...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8', stdio: 'pipe' }).trim();
const write = (project: Project, ...args: string[]) => devCli(project, ['handoff', 'write', ...args]);
const transfer = (project: Project, ...args: string[]) => devCli(project, ['transfer', '--handoff', ...args]);
const memory = (project: Project, ...args: string[]) => devCli(project, ['memory', ...args]);
const read = (project: Project, path: string) => readFileSync(join(project.root, path), 'utf8');
const handoffs = (project: Project) => readdirSync(join(project.root, '.ai/handoffs')).sort();
const everything = (project: Project) => {
  const { '.git/index': _, ...image } = imageOf(project, '.');
  return image;
};

describe('handoff write', () => {
  it('stores what is said, writes the file, and says what lacks', () => {
    const project = create();
    writeProjectFile(project, 'src/new.js', '1;\n');
    const said = [
      ...['--session-summary', 'The cart is there', '--first-next-action', 'Pay', '--done-when', 'npm test passes'],
      ...['--decision', 'Redis', '--decision', 'No, Postgres', '--verification', 'npm test -> 12 passed'],
      ...['--tried', 'A cache', '--blocked-by', 'no key', '--switched-to', 'Mails', '--reason', 'The key is missing'],
    ];
    const { code, json } = write(project, ...said);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ok: true,
      path: expect.stringMatching(/^\.ai\/handoffs\/\d{4}-\d\d-\d\d_\d{6}\.md$/),
      region: null,
      status: 'blocked',
      missing: ['1 changed file not committed', 'no check was run', 'something is in the way: no key'],
    });
    const file = read(project, json['path'] as string);
    for (const line of [
      'status: blocked',
      'goal_id: "main"',
      'reason: "The key is missing"',
      '- The cart is there',
      '- Switched to: Mails',
      '- No, Postgres',
      '- src/new.js',
      '- Pay (done when: npm test passes)',
      '- npm test -> 12 passed [told]',
      '- A cache',
    ])
      expect(file.split('\n')).toContain(line);
    const book = JSON.parse(read(project, '.dev/memory/book/state.json'));
    expect(Object.values(book.decision)).toMatchObject([
      { text: 'Redis' },
      { text: 'No, Postgres' },
      { text: 'Mails' },
    ]);
    expect(Object.values(book.handoff)).toMatchObject([
      { summary: 'The cart is there', status: 'blocked', file: json['path'], switchedTo: 'Mails' },
    ]);
    expect(Object.values(book.note)).toHaveLength(2);
  });

  it('writes nothing with --dry-run and --print, which shows the file', () => {
    const project = create();
    transfer(project);
    const before = everything(project);
    const dry = write(project, '--decision', 'Redis', '--dry-run');
    expect(dry.json).toMatchObject({
      ok: true,
      dryRun: true,
      path: expect.any(String),
      region: 'PROJECT_CONTEXT.md',
      stored: [],
    });
    const printed = write(project, '--decision', 'Redis', '--print', '--text');
    expect(printed.stdout).toMatch(/^---\ntimestamp: [\s\S]*\n---\n[\s\S]*- Redis\n/);
    expect(transfer(project, '--dry-run').code).toBe(0);
    expect(everything(project)).toEqual(before);
  });

  it('is complete once that is proved, and not by a claim', () => {
    const project = create();
    expect(memory(project, 'verify', '--text', 'npm test -> ok', '--outcome', 'passed').code).toBe(0);
    expect(write(project, '--dry-run').json['status']).toBe('failed');
    expect(memory(project, 'verify', '--', 'true').code).toBe(0);
    expect(write(project).json).toMatchObject({ status: 'complete', missing: [] });
    // Files that dev-cli writes do not count as changes.
    expect(transfer(project).json).toMatchObject({ status: 'complete', missing: [] });
    writeProjectFile(project, 'src/new.js', '1;\n');
    expect(write(project).json).toMatchObject({
      status: 'failed',
      missing: ['1 changed file not committed', 'the newest verification is stale: true'],
    });
  });

  it('is not where something is in the way, or a check failed on exactly these files', () => {
    const project = create();
    const { root: cwd, env } = project;
    expect(spawnSync(process.execPath, [BINARY, 'memory', 'verify', '--', 'false'], { cwd, env }).status).toBe(1);
    expect(memory(project, 'verify', '--', 'true').code).toBe(0);
    expect(write(project).json).toMatchObject({
      status: 'failed',
      missing: ['a verification failed on exactly these files: false'],
    });
    const { id } = memory(project, 'note', '--kind', 'blocked', '--text', 'no key').json;
    expect(write(project).json['status']).toBe('blocked');
    expect(memory(project, 'forget', String(id)).code).toBe(0);
    writeProjectFile(project, 'src/mended.js', '1;\n');
    execFileSync('git', ['add', '-A'], { cwd, env });
    execFileSync('git', ['commit', '-qm', 'Mend it'], { cwd, env });
    expect(memory(project, 'verify', '--', 'true').code).toBe(0);
    expect(write(project).json).toMatchObject({ status: 'complete', missing: [] });
  });

  it('leaves nothing beside it where the disk takes only a part', () => {
    const project = create();
    const long = ['a', 'b', 'c', 'd'].flatMap((letter) => ['--tried', letter.repeat(399)]);
    const script = 'trap "" XFSZ; ulimit -f 2; exec "$@"';
    const args = ['-c', script, 'sh', process.execPath, BINARY, 'handoff', 'write', ...long];
    const { status, stdout } = spawnSync('sh', args, { cwd: project.root, env: project.env, encoding: 'utf8' });
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'IO' } }]);
    expect(handoffs(project)).toEqual([]);
  });

  it('of the same second gets a number of its own', () => {
    const project = create();
    const names = Array.from({ length: 4 }, () => write(project).json['path'] as string);
    expect(new Set(names).size).toBe(4);
    expect(handoffs(project)).toHaveLength(4);
  });

  it('is about the goal, else the run', () => {
    const project = create();
    devCli(project, ['init', 'cart', '--recipe', 'specify-quick-autopilot', '--goal', 'Build the cart']);
    expect(write(project, '--dry-run').json).toMatchObject({ handoff: { goalId: 'cart', work: 'the run cart' } });
    expect(write(project, '--dry-run').json['missing']).toContain('the run cart is live');
    writeProjectFile(project, '.ai/goals.yaml', 'goals: [{id: shop, title: The shop, status: active}]\n');
    expect(write(project, '--dry-run').json).toMatchObject({ handoff: { goalId: 'shop' } });
    writeProjectFile(project, '.ai/goals.yaml', 'goals: 3\n');
    expect(write(project, '--dry-run').json).toMatchObject({
      handoff: { goalId: 'cart' },
      warnings: [expect.stringContaining('goals.yaml')],
    });
  });

  it('keeps what the last one had as next, and tells the commits since', () => {
    const project = create();
    write(project, '--first-next-action', 'Pay');
    rmSync(join(project.root, '.dev/memory'), { recursive: true });
    writeProjectFile(project, 'src/new.js', '1;\n');
    git(project, 'add', '--all');
    git(project, 'commit', '--quiet', '--message=Add the cart');
    const { handoff } = write(project).json as { handoff: { sections: Record<string, string[]> } };
    expect(handoff.sections['Done']).toEqual([expect.stringMatching(/^[0-9a-f]{12} Add the cart$/)]);
    expect(handoff.sections['Next']).toEqual(['Pay']);
  });

  it('works without git, without a commit, detached, and while a merge is under way', () => {
    const project = create();
    git(project, 'checkout', '--quiet', '--detach');
    expect(write(project).json).toMatchObject({ handoff: { goalId: git(project, 'rev-parse', 'HEAD').slice(0, 12) } });
    git(project, 'checkout', '--quiet', '-b', 'one');
    writeProjectFile(project, 'package.json', '{"name":"one"}\n');
    git(project, 'commit', '--quiet', '--all', '--message=One');
    git(project, 'checkout', '--quiet', 'main');
    writeProjectFile(project, 'package.json', '{"name":"two"}\n');
    git(project, 'commit', '--quiet', '--all', '--message=Two');
    expect(() => git(project, 'merge', '--quiet', 'one')).toThrow();
    expect(write(project).json).toMatchObject({ ok: true, status: 'failed' });
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(write(project).json).toMatchObject({
      handoff: { goalId: 'project' },
      missing: expect.arrayContaining(['there is no git repository to show what changed']),
    });
    git(project, 'init', '--quiet');
    expect(write(project).json).toMatchObject({ ok: true });
  });

  it('tells of 111 changed files with odd names, in numbers that agree', () => {
    const project = create();
    for (let n = 0; n < 108; n += 1) writeProjectFile(project, `many/file-${n}.txt`, 'x');
    for (const name of ['line\nfeed', '<!-- dev-cli:handoff v1 -->', '- [x] "quoted" é'])
      writeProjectFile(project, name, 'x');
    const { json } = transfer(project);
    expect(json['missing']).toContain('111 changed files not committed');
    const region = read(project, 'PROJECT_CONTEXT.md');
    expect(region).toContain('- Working tree truth: 111 changed files on main');
    expect(region).toContain('- (+106)');
    expect(region.split('\n').filter((line) => line.includes('dev-cli:handoff'))).toHaveLength(
      2 + region.split('&lt;!-- dev').length - 1,
    );
    expect(transfer(project).code).toBe(0);
  });

  it.each([
    'ghp_0123456789abcdefghijABCDEFGHIJ012345',
    'https://me:hunter2hunter2@example.org',
    'AKIAABCDEFGHIJKLMNOP',
  ])('masks %s wherever it is said', (secret) => {
    const project = create();
    const options = [
      'session-summary',
      'first-next-action',
      'decision',
      'verification',
      'tried',
      'blocked-by',
      'switched-to',
      'reason',
    ];
    const said = options.flatMap((option) => [`--${option}`, `It is ${secret} here`]);
    writeProjectFile(project, `src/${secret.replaceAll('/', '')}.js`, '');
    git(project, 'commit', '--quiet', '--allow-empty', `--message=Use ${secret}`);
    const { json, stdout } = write(project, ...said);
    expect(json['masked']).toBe(true);
    transfer(project);
    const written = [json['path'] as string, 'PROJECT_CONTEXT.md'].map((path) => read(project, path)).join('');
    expect(written).toContain('[masked]');
    for (const text of [stdout, written, devCli(project, ['context', '--text']).stdout])
      expect(text).not.toContain(secret);
  });

  it('refuses a blank text, and what has no place, before anything is written', () => {
    const project = create();
    const before = everything(project);
    for (const args of [
      ['--decision', ' '],
      ['--tried', '\u200b'],
      ['--done-when', 'x'],
      ['--status', 'finished'],
    ])
      expect(write(project, ...args).code).toBe(2);
    expect(devCli(project, ['transfer']).code).toBe(2);
    expect(everything(project)).toEqual(before);
    symlinkSync(project.home, join(project.root, '.ai'));
    expect(write(project).json).toMatchObject({ error: { code: 'IO' } });
    expect(existsSync(join(project.home, 'handoffs'))).toBe(false);
    expect(existsSync(join(project.root, '.dev/memory'))).toBe(false);
  });

  it('names no directory of the machine', () => {
    const project = create();
    const where = [project.root, project.home].map((path) => `look at ${path}/x`);
    write(project, ...where.flatMap((text) => ['--decision', text]));
    transfer(project);
    const written = handoffs(project).map((name) => read(project, `.ai/handoffs/${name}`));
    for (const text of [...written, read(project, 'PROJECT_CONTEXT.md')])
      expect(text).not.toContain(dirname(project.root));
  });
});

describe('a place of the machine', () => {
  it('is hidden where it is one, and a path of the project that has its name in it stays', () => {
    const project = create();
    const [home, root] = ['/root', project.root];
    const said = [
      [`open ${root}/src/a.js`, 'open src/a.js'],
      [
        `in ${root}. Not ${root}-old, ${root}s or src${root}/a.js`,
        `in .. Not ${root}-old, ${root}s or src${root}/a.js`,
      ],
      [`cc -I${root}/inc file://${root}/b`, 'cc -Iinc file://b'],
      ['src/root/index.js, /root/notes, [id]/root/c, /root', 'src/root/index.js, ~/notes, [id]/root/c, ~'],
    ] as const;
    const args = said.flatMap(([given]) => ['--decision', given]);
    const { json } = devCli(project, ['handoff', 'write', ...args], { env: { HOME: home } });
    const lines = read(project, json['path'] as string).split('\n');
    for (const [, shown] of said) expect(lines).toContain(`- ${shown}`);
  });
});

describe('the region', () => {
  it('is put first, renewed where it stands, and leaves every other byte', () => {
    const project = create();
    const path = join(project.root, 'PROJECT_CONTEXT.md');
    const own = Buffer.from([...Buffer.from('# Mine\r\nfran'), 0xe7, ...Buffer.from('ais, no end')]);
    writeFileSync(path, own);
    expect(transfer(project).json).toMatchObject({ path: null, region: 'PROJECT_CONTEXT.md' });
    expect(existsSync(join(project.root, '.ai'))).toBe(false);
    const first = readFileSync(path);
    expect(first.subarray(0, 26).toString()).toBe('<!-- dev-cli:handoff v1 -->'.slice(0, 26));
    expect(first.subarray(-own.length)).toEqual(own);
    expect(write(project, '--decision', 'Redis').json).toMatchObject({ region: 'PROJECT_CONTEXT.md' });
    const second = readFileSync(path);
    expect(second.toString()).toContain('- Redis');
    expect(second.subarray(-own.length)).toEqual(own);
    expect(second.toString().split('# Session Handoff')).toHaveLength(2);
  });

  it('goes where --out says, inside the project', () => {
    const project = create();
    mkdirSync(join(project.root, 'docs'), { recursive: true });
    expect(transfer(project, '--out', 'docs/STATE.md').json).toMatchObject({ region: 'docs/STATE.md' });
    expect(transfer(project, '--out', 'not/there/STATE.md').json).toMatchObject({ region: 'not/there/STATE.md' });
    expect(read(project, 'docs/STATE.md')).toContain('# Session Handoff');
    for (const out of ['../STATE.md', '/tmp/STATE.md', '.git/STATE.md'])
      expect(transfer(project, '--out', out).json).toMatchObject({ error: { code: 'PATH_UNSAFE' } });
  });

  it.each([
    '<!-- dev-cli:handoff v1 -->\nhalf\n',
    'half\n<!-- /dev-cli:handoff -->\n',
    '<!-- dev-cli:handoff v1 -->\n<!-- /dev-cli:handoff -->\n<!-- dev-cli:handoff v1 -->\n<!-- /dev-cli:handoff -->\n',
  ])('that is broken is refused, and nothing changes', (text) => {
    const project = create();
    writeProjectFile(project, 'PROJECT_CONTEXT.md', text);
    const before = everything(project);
    for (const call of [write, transfer]) {
      const refused = call(project, '--decision', 'Redis');
      expect([refused.code, refused.json]).toMatchObject([3, { error: { code: 'DOCUMENT_UNREADABLE' } }]);
    }
    expect(everything(project)).toEqual(before);
  });

  it('says through which door it came', () => {
    const project = create();
    transfer(project);
    expect(read(project, 'PROJECT_CONTEXT.md')).toContain(
      '- Handoff source: file_fallback\n- Handoff quality: auto-drafted\n',
    );
  });
});
