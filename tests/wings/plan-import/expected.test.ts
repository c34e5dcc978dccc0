import { describe, expect, it } from 'vitest';
import { importPlan } from '../../../src/wings/plan-import/import-plan.js';

// plans-from-elsewhere.md, What becomes of what: What is expected, Where it runs

/** Imports a step. Returns its checks (with directory and expectation), its steps, and commands that are no checks. */
function readStep(...lines: string[]) {
  const text = `# X Implementation Plan\n\n### Task 1: Write\n\n${lines.join('\n')}\n`;
  const ending = importPlan({
    source: { format: 'superpowers', name: 'x', files: [{ path: 'plan.md', text }] },
    goal: null,
  });
  if (ending.kind !== 'plan') throw new Error(ending.at);
  const { plan, unplaced } = ending.plan;
  const taken = (plan.todos[0]?.acceptance ?? []).flatMap((proof) =>
    proof.kind === 'command'
      ? [[...(proof.cwd === undefined ? [] : [`in ${proof.cwd}:`]), ...proof.run].join(' ')].map((line) =>
          proof.expect === undefined ? line : `${line} => ${JSON.stringify(proof.expect)}`,
        )
      : [],
  );
  return { taken, steps: plan.todos[0]?.steps ?? [], refused: unplaced.map(({ what }) => what) };
}

const STEP = '- [ ] **Step 1: Check**';

describe('what is expected belongs to the command before it, and to no other', () => {
  it.each<[string, string[], string[]]>([
    [
      'a count',
      ['Run: `npm test`', '', 'Run: `grep -c TODO a.js`', 'Expected: 0'],
      ['npm test', 'grep -c TODO a.js => {"exitCode":1}'],
    ],
    [
      'a status',
      ['Run: `npm test`', '', 'Run: `node x.js`', 'Expected: exit code 2'],
      ['npm test', 'node x.js => {"exitCode":2}'],
    ],
    ['a failure', ['Run: `npm run typecheck`', '', 'Run: `npm test`', 'Expected: FAIL'], ['npm run typecheck']],
    [
      'what is printed',
      ['Run: `npm run build`', 'Run: `node dist/x.js`', 'Expected: prints `hello`'],
      ['npm run build', 'node dist/x.js => {"stdoutContains":"hello"}'],
    ],
    [
      'two in a paragraph',
      ['Run: `grep -rn foo src`', 'Expected: nothing', 'Run: `grep -c bar a.js`', 'Expected: 0'],
      ['grep -rn foo src => {"exitCode":1}', 'grep -c bar a.js => {"exitCode":1}'],
    ],
    [
      'a block',
      ['```bash', 'npm test', 'grep -c TODO a.js', '```', 'Expected: `0`'],
      ['npm test', 'grep -c TODO a.js => {"exitCode":1}'],
    ],
    ['a failure of several', ['Run `npm test -- a` and `npm test -- b`', 'Expected: FAIL'], []],
  ])('%s', (_, lines, taken) => {
    expect(readStep(STEP, '', ...lines).taken).toEqual(taken);
  });
});

describe('a test that has to fail first', () => {
  it.each<[string, string[]]>([
    [
      'by the name of its step',
      [
        '- [ ] **Step 1: Run the test to verify it fails**',
        '',
        'Run: `npm test -- a`',
        'Expected: exit code 1, "a is not defined"',
      ],
    ],
    ['with nothing expected', ['- [ ] **Step 1: Verify RED**', '', 'Run: `npm test -- a`']],
    ['in words', [STEP, '', 'Run: `npm test -- a`', 'Expected: the test does not pass yet']],
    ['in a sign', [STEP, '', 'Run: `npm test -- a`', 'Expected: ❌']],
    ['with a status', [STEP, '', 'Run: `npm test -- a`', 'Expected: FAIL with exit code 1']],
    ['by what comes later', [STEP, '', 'Run: `npm test -- a`', 'Expected: exit code 1']],
  ])('%s, judges nothing, and contradicts nothing', (_, red) => {
    const green = ['', '- [ ] **Step 2: Pass**', '', 'Run: `npm test -- a`', 'Expected: PASS'];
    expect(readStep(...red, ...green).taken).toEqual(['npm test -- a']);
  });
});

describe('what is expected in other words', () => {
  it.each([
    ['Run: `grep -c TODO a.js`', 'Expected: zero', 'grep -c TODO a.js => {"exitCode":1}'],
    ['Run: `grep -c TODO a.js`', 'Expected: 0 (none left)', 'grep -c TODO a.js => {"exitCode":1}'],
    ['Run: `grep -c TODO a.js`', '期望：0', 'grep -c TODO a.js => {"exitCode":1}'],
    ['运行：`npm test`', '预期：PASS', 'npm test'],
    ['実行: `grep -rn foo src`', '期待: 出力なし', 'grep -rn foo src => {"exitCode":1}'],
    ['Run: `test -f old.js`', 'Expected: file does not exist', 'test -f old.js => {"exitCode":1}'],
    ['Run: `node x.js`', 'Expected output: `hello world`', 'node x.js => {"stdoutContains":"hello world"}'],
    ['Run: `node x.js`', '\nExpected output:\n```\nhello world\n```', 'node x.js => {"stdoutContains":"hello world"}'],
    ['Run: `npm audit`', 'Expected: 0 vulnerabilities', 'npm audit'],
    ['Run: `grep -n foo a.js`', 'Expected: one match', 'grep -n foo a.js'],
    ['Run: `! grep -rn foo src`', '', 'sh -c ! grep -rn foo src'],
  ])('%s, %s', (run, said, taken) => {
    expect(readStep(STEP, '', run, said).taken).toEqual([taken]);
  });

  it.each([
    ['grep -c foo a.js', 'Expected: at least 3'],
    ['grep -c foo a.js', 'Expected: ≥ 6 (all)'],
    ['grep -c foo a.js', 'Expected: one match'],
    ['wc -l a.js', 'Expected: 1 a.js'],
    ['ls old.js', 'Expected: No such file or directory'],
    ['node x.js', '\nExpected output:\n```\none\ntwo\n```'],
    ['node x.js', 'Expected: looks like the picture'],
    ['npm test &', 'Expected: PASS'],
  ])('%s, %s: a step that says so, never a check without it', (command, said) => {
    const { taken, steps, refused } = readStep(STEP, '', `Run: \`${command}\``, said);
    expect(taken).toEqual([]);
    expect(refused).toEqual([command]);
    expect(steps[0]).toContain(command);
  });
});

describe('where a command runs', () => {
  it.each([
    ['Run (in `web/`): `make c`', 'in web: make c'],
    ['Run: `make c` (in packages/x)', 'in packages/x: make c'],
    ['Working directory: `svc/`\n\nRun: `make c`', 'in svc: make c'],
    ['Run: `cd api && make c`', 'in api: make c'],
  ])('%s', (line, taken) => {
    expect(readStep(STEP, '', line).taken).toEqual([taken]);
  });

  it.each(['cd /elsewhere && make c', 'cd ~/x && make c', 'cd ../x && make c', '(cd /x && make c)', 'make -C /x c'])(
    'outside of the project, where no check runs: %s',
    (command) => {
      expect(readStep(STEP, '', `Run: \`${command}\``)).toMatchObject({ taken: [], refused: [command] });
    },
  );
});
