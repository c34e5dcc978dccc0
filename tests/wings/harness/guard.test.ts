import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type GuardedRun,
  judgeWrite,
  type ResolvedWrite,
  type Writer,
} from '../../../src/wings/harness/guard/guard.js';

// harness.md, Guard: the table, row by row. `inRoot` and `inWorkTree` are equal for a run without its own work tree.

const RUN: GuardedRun = { name: 'add-x', work: 'planning', writes: null, promised: [], tasks: [] };
const specify = RUN;
const open: GuardedRun = { ...RUN, work: 'publishing' };
const other: GuardedRun = { ...RUN, work: null, writes: ['CHANGELOG.md', 'docs/**'] };
const idle: GuardedRun = { ...RUN, work: 'execution' };
const busy: GuardedRun = { ...idle, tasks: [['src/a.js', 'tests/'], ['docs/*.md']] };
const free: GuardedRun = { ...idle, tasks: [['src/a.js'], []] };
const promising: GuardedRun = { ...idle, promised: ['actions/a7/t1.json', 'reports/review.md', '/docs/report.md'] };

const at = (path: string): ResolvedWrite => ({ inRoot: path, inWorkTree: path });
const OF_RUN = '.dev/specs/add-x';
const WRITERS: Writer[] = ['main', 'subagent', 'unknown'];

type Row = [path: string, run: GuardedRun, writers: readonly Writer[], allowed: boolean];

const rows: Row[] = [
  // Files that only dev-cli writes: forbidden for every writer and every run.
  ...[specify, open, other, free, promising].flatMap((run) =>
    [
      '.dev',
      '.dev/guard',
      '.dev/active-spec',
      '.dev/active-spec.tmp',
      '.dev/preferences.yaml',
      '.dev/install.json',
      '.dev/sessions',
      '.dev/sessions/s-1',
      '.dev/memory',
      '.dev/memory/facts.jsonl',
      '.dev/memory/book/events.jsonl',
      '.dev/x',
      '.dev/specs',
      '.dev/specs/add-x',
      `${OF_RUN}/state.json`,
      `${OF_RUN}/state.json.1234`,
      `${OF_RUN}/events.jsonl`,
      `${OF_RUN}/edit/PLAN.md`,
      `${OF_RUN}/edit.lock`,
      `${OF_RUN}/recipe.json`,
      `${OF_RUN}/objects/ab/cd`,
      `${OF_RUN}/lock`,
      `${OF_RUN}/lock/owner`,
      `${OF_RUN}/actions/a1/exit.json`,
      `${OF_RUN}/actions/a1/command.log`,
      `${OF_RUN}/actions/a1/deep/exit.json`,
      `${OF_RUN}/actions/a1/anything.md`,
      `${OF_RUN}/PLAN.md`,
      `${OF_RUN}/context/audit.md`,
      '.dev/specs/other/DRAFT.md',
      '.dev/specs/add-x2/DRAFT.md',
    ].map((path): Row => [path, run, WRITERS, false]),
  ),
  // Agents' answers, and files that belong to the project: allowed for every writer at any time.
  ...[specify, open, other, idle, free].flatMap((run) =>
    [
      `${OF_RUN}/actions/a1/data.json`,
      `${OF_RUN}/actions/a1/data.md`,
      `${OF_RUN}/actions/a1/reason.md`,
      `${OF_RUN}/actions/a1/note.md`,
      `${OF_RUN}/actions/a1/result.md`,
      '.dev/recipes/mine.yaml',
      '.dev/workflows/mine.yaml',
      '.dev/agents/mine.md',
      '.dev/goal.md',
      '.ai/handoffs/2026-11-27_010203.md',
    ].map((path): Row => [path, run, WRITERS, true]),
  ),
  // Files that belong to git or a harness: forbidden for every writer, even if a glob matches them.
  ...[specify, open, { ...other, writes: ['**'] }, { ...busy, tasks: [['**'], ['.claude/**']] }, free].flatMap((run) =>
    [
      '.git',
      '.git/hooks/pre-commit',
      '.GIT/config',
      'vendor/lib/.git/config',
      '.claude/settings.json',
      'web/.Claude/skills/x/SKILL.md',
      '.mcp.json',
      '.codex/config.toml',
      '.agents/skills/x/SKILL.md',
      '.gemini/settings.json',
    ].map((path): Row => [path, run, WRITERS, false]),
  ),
  ...['.gitignore', '.github/workflows/x.yml', '.claude-plugin/plugin.json', 'skills/x/SKILL.md'].map(
    (path): Row => [path, free, ['subagent', 'unknown'], true],
  ),
  // Documents of a plan: allowed during planning.
  ...[
    'DRAFT.md',
    'plan-content.json',
    'findings/x.md',
    'findings/deep/x\ny.md',
    'analysis/x.md',
    'reviews/r1.md',
  ].flatMap((path): Row[] => [
    [`${OF_RUN}/${path}`, specify, WRITERS, true],
    [`${OF_RUN}/${path}`, other, WRITERS, true],
    [`${OF_RUN}/${path}`, free, WRITERS, false],
    [`${OF_RUN}/${path}`, open, WRITERS, false],
  ]),
  // Promised files: allowed at any path.
  [`${OF_RUN}/actions/a7/t1.json`, promising, WRITERS, true],
  [`${OF_RUN}/reports/review.md`, promising, WRITERS, true],
  [`${OF_RUN}/reports/other.md`, promising, WRITERS, false],
  ['docs/report.md', promising, WRITERS, true],
  // Source files: forbidden while planning.
  ...[specify, open].flatMap((run) => [
    ['src/a.js', run, WRITERS, false] as Row,
    ['', run, WRITERS, false] as Row,
    ['.devil/guard', run, WRITERS, false] as Row,
    ['.dev2', run, WRITERS, false] as Row,
    ['goal.md', run, WRITERS, false] as Row,
    ['x/.dev/goal.md', run, WRITERS, false] as Row,
  ]),
  // Source files during execution.
  ['src/a.js', idle, WRITERS, false],
  ['src/a.js', busy, ['subagent', 'unknown'], true],
  ['src/a.js', busy, ['main'], false],
  ['tests/deep/a.test.js', busy, ['subagent', 'unknown'], true],
  ['docs/x.md', busy, ['subagent', 'unknown'], true],
  ['docs/deep/x.md', busy, WRITERS, false],
  ['src/a.jsx', busy, WRITERS, false],
  ['src', busy, WRITERS, false],
  ['', busy, WRITERS, false],
  ['src/b.js', free, ['subagent', 'unknown'], true],
  ['', free, ['subagent', 'unknown'], true],
  ['src/b.js', free, ['main'], false],
  // Source files while a custom skill runs.
  ['CHANGELOG.md', other, WRITERS, true],
  ['docs/deep/x.md', other, WRITERS, true],
  ['src/a.js', other, WRITERS, false],
  ['src/a.js', { ...other, writes: null }, WRITERS, true],
  ['docs/x.md', { ...specify, writes: ['docs/**'] }, WRITERS, true],
  ['src/a.js', { ...specify, writes: ['docs/**'] }, WRITERS, false],
];

describe('judgeWrite (harness.md, Guard)', () => {
  it.each(rows.flatMap(([path, run, writers, allowed]) => writers.map((writer) => ({ path, run, writer, allowed }))))(
    '$path by $writer under $run.work: $allowed',
    ({ path, run, writer, allowed }) => {
      const why = judgeWrite(at(path), run, writer);
      expect(why === null, String(why)).toBe(allowed);
      if (why !== null) expect(why).toMatch(/^\S.{20,}\.$/s);
    },
  );

  it.each([specify, open, other, { ...other, writes: null }, idle, busy, free])(
    'commits and branches: of $work, a worker leaves them while a plan is carried out',
    (run) => {
      for (const writer of WRITERS) {
        const isRefused = run.work === 'execution' && writer !== 'main';
        expect(judgeWrite('history', run, writer) !== null).toBe(isRefused);
      }
    },
  );

  it('where the run has a work tree of its own, sources are those of the tree, and .dev is that of the root', () => {
    const outside: ResolvedWrite = { inRoot: null, inWorkTree: null };
    const inTree: ResolvedWrite = { inRoot: null, inWorkTree: 'src/a.js' };
    const nested: ResolvedWrite = { inRoot: 'trees/x/src/a.js', inWorkTree: 'src/a.js' };
    const inRoot: ResolvedWrite = { inRoot: 'src/a.js', inWorkTree: null };
    const document: ResolvedWrite = { inRoot: `${OF_RUN}/DRAFT.md`, inWorkTree: null };
    for (const writer of WRITERS) {
      expect(judgeWrite(outside, specify, writer)).toBeNull();
      expect(judgeWrite(document, specify, writer)).toBeNull();
      for (const write of [inTree, nested]) expect(judgeWrite(write, specify, writer)).not.toBeNull();
      // The same name in the other checkout is a different file.
      expect(judgeWrite(inRoot, busy, writer)).toContain('another work tree');
    }
    for (const write of [inTree, nested]) expect(judgeWrite(write, busy, 'subagent')).toBeNull();
  });

  it('never lets anything of dev-cli be written, whatever the recipe promises and permits', () => {
    const generous = fc.record({
      name: fc.constant('add-x'),
      work: fc.constantFrom('planning' as const, 'execution' as const, 'publishing' as const, null),
      writes: fc.constantFrom(null, ['**'], ['.dev/**']),
      promised: fc.constantFrom([], ['state.json', '/.dev/guard', 'recipe.json']),
      tasks: fc.constantFrom([], [[]], [['**', '.dev/**']]),
    });
    const owned = fc.constantFrom('.dev', '.dev/guard', `${OF_RUN}/state.json`, `${OF_RUN}/recipe.json`);
    fc.assert(
      fc.property(generous, owned, fc.constantFrom(...WRITERS), (run, path, writer) => {
        expect(judgeWrite(at(path), run, writer)).not.toBeNull();
      }),
    );
  });

  it('never throws on a path', () => {
    const run = { ...busy, writes: ['src/{a,b}/**', '[', '!('] };
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        judgeWrite(at(path), run, 'subagent');
      }),
    );
  });
});
