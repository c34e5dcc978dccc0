import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import {
  type JudgedCall,
  judgeToolCall,
  MODES,
  type Mode,
  readTarget,
} from '../../../src/wings/runtime/core/permissions.js';
import { readPlainLine } from '../../../src/wings/runtime/core/plain-line.js';
import { fitsWords, parseRule, parseRules } from '../../../src/wings/runtime/core/rules.js';
import { isShippedAllowed } from '../../../src/wings/runtime/core/shipped-rules.js';
import { createApprove } from '../../../src/wings/runtime/permissions/ask.js';
import { listShellCommands } from '../../../src/work/shell/writes.js';

// runtime.md, Permissions: which calls of tools are allowed, denied, or put to a person

const KNOWN = ['read_file', 'glob_search', 'grep_search', 'write_file', 'edit_file', 'bash'];
const BARE = { deny: [], ask: [], allow: [] };

type Lists = { deny?: string[]; ask?: string[]; allow?: string[] };

function call(given: Partial<JudgedCall> = {}, lists: Lists = {}): JudgedCall {
  const { rules, problems } = parseRules(lists, KNOWN);
  expect(problems).toEqual([]);
  const plain = { isDriven: false, isInSandbox: false, isSecret: false };
  const tool = { name: 'bash', needs: 'danger-full-access' as const, target: { command: 'make' } };
  return { mode: 'workspace-write', rules, ...plain, ...tool, ...given };
}

const judgeLine = (command: string, lists: Lists = {}, given: Partial<JudgedCall> = {}) =>
  judgeToolCall(call({ target: { command }, ...given }, lists));
const judgePath = (path: string, lists: Lists, given: Partial<JudgedCall> = {}) =>
  judgeToolCall(call({ name: 'edit_file', needs: 'workspace-write', target: { paths: [path] }, ...given }, lists));

const ALLOW = { judged: 'allow' };
const refuse = (need: string) => ({ judged: 'deny', reason: `requires ${need} permission; mode is read-only` });
const ask = (mode: string, need: string) => ({
  judged: 'ask',
  reason: `requires approval to escalate from ${mode} to ${need}`,
});
const deny = (rule: string) => ({ judged: 'deny', reason: `denied by rule ${rule}` });

describe('a mode', () => {
  const [WRITE, DANGER] = ['workspace-write', 'danger-full-access'] as const;
  it.each([
    ['read-only', 'read-only', ALLOW],
    ['read-only', WRITE, refuse(WRITE)],
    ['read-only', DANGER, refuse(DANGER)],
    [WRITE, 'read-only', ALLOW],
    [WRITE, WRITE, ALLOW],
    [WRITE, DANGER, ask(WRITE, DANGER)],
    [DANGER, 'read-only', ALLOW],
    [DANGER, WRITE, ALLOW],
    [DANGER, DANGER, ALLOW],
    ['prompt', 'read-only', ALLOW],
    ['prompt', WRITE, ask('prompt', WRITE)],
    ['prompt', DANGER, ask('prompt', DANGER)],
  ] as const)('%s with a call that needs %s', (mode, needs, expected) => {
    expect(judgeToolCall(call({ mode, needs, name: 'mcp__a__b', target: { input: {} } }))).toEqual(expected);
  });

  it.each([
    ['read-only', refuse(WRITE)],
    [WRITE, ALLOW],
    [DANGER, ALLOW],
    ['prompt', ask('prompt', WRITE)],
  ] as const)('%s with a command in the sandbox', (mode, expected) => {
    expect(judgeToolCall(call({ mode, isInSandbox: true }))).toEqual(expected);
  });

  it('takes the sandbox for commands alone', () => {
    const server = { name: 'mcp__a__b', target: { input: {} }, isInSandbox: true };
    expect(judgeToolCall(call(server))).toEqual(ask(WRITE, DANGER));
  });
});

describe('rules', () => {
  it('go deny, ask, allow, mode', () => {
    const all = { deny: ['bash(make:*)'], ask: ['bash(make:*)'], allow: ['bash(make:*)'] };
    for (const mode of MODES) {
      expect(judgeLine('make', all, { mode })).toEqual(deny('bash(make:*)'));
      expect(judgeLine('make', { ...all, deny: [] }, { mode })).toEqual({
        judged: 'ask',
        reason: 'requires approval by rule bash(make:*)',
      });
      expect(judgeLine('make', { allow: all.allow }, { mode })).toEqual(ALLOW);
    }
  });

  it.each([
    ['Bash(make)', 'bash', 'make'],
    ['BASH', 'bash', null],
    ['bash(*)', 'bash', null],
    ['bash(:*)', 'bash', null],
    ['Read(src/**)', 'read_file', 'src/**'],
    ['Write', 'write_file', null],
    ['edit(a b.ts)', 'edit_file', 'a b.ts'],
    ['Glob', 'glob_search', null],
    ['GREP(src)', 'grep_search', 'src'],
    ['mcp__Db__Query', 'mcp__db__query', null],
    [' edit_file ( a(b).ts ) ', 'edit_file', 'a(b).ts'],
    ['edit_file(*)', 'edit_file', '*'],
    ['mcp__a__b(*)', 'mcp__a__b', null],
    ['edit_file(././a)', 'edit_file', 'a'],
    ['bash(./a b)', 'bash', './a b'],
  ])('%j is read', (text, tool, about) => {
    expect(parseRule(text, KNOWN)).toEqual({ text: text.trim(), tool, about });
  });

  it.each([
    '',
    'nobody',
    'nobody(x)',
    'bash(make',
    'bash()',
    'edit_file( )',
    'edit_file(./)',
    `edit_file(${'a'.repeat(5_000)})`,
    'bash make',
    'toString',
    'mcp__a',
    'mcp__a__*',
    'mcp__',
    'edit_*',
    'bash(ls *.ts)',
    'bash(npm run *)',
    'bash(a:* b)',
    'bash(a | sh)',
    'bash(a; b)',
    'bash(a "b c")',
    'bash(echo $x)',
  ])('%j is an error', (text) => {
    expect(parseRules({ allow: [text] }, KNOWN)).toEqual({
      rules: BARE,
      problems: [{ rule: text, problem: expect.any(String) }],
    });
  });

  it('fit files by globs', () => {
    const allow = { allow: ['edit_file(src/**)', 'edit_file(./docs)', 'edit_file(*.md)'] };
    const mode: Mode = 'prompt';
    for (const path of ['src/a.ts', 'src/a/.b', 'docs/a.md', 'a.md']) {
      expect([path, judgePath(path, allow, { mode })]).toEqual([path, ALLOW]);
    }
    for (const path of ['srcs/a.ts', '../src/a.ts', 'a/b.md', 'SRC/a.ts', '../a.md']) {
      expect([path, judgePath(path, allow, { mode })]).toEqual([path, ask('prompt', 'workspace-write')]);
    }
    expect(judgePath('src/a.ts', { allow: ['write_file(src/**)'] }, { mode }).judged).toBe('ask');
    // The rule against writing the file also forbids editing it.
    expect(judgePath('src/a.ts', { deny: ['write_file(src/**)'], allow: ['edit_file'] }, { mode }).judged).toBe('deny');
    expect(judgePath('src/a.ts', { ask: ['write_file'], allow: ['edit_file'] }, { mode }).judged).toBe('ask');
    expect(judgePath('../../etc/x', { allow: ['edit_file(**)', 'edit_file(!src/**)'] }, { mode }).judged).toBe('ask');
  });

  it('fit a path by where it is named and where it leads: one denies, all allow', () => {
    const target = { paths: ['src/link', 'keys/a'] };
    const mode: Mode = 'prompt';
    const judgeBoth = (lists: Lists) => judgePath('', lists, { target, mode }).judged;
    expect(judgeBoth({ deny: ['edit_file(keys/**)'] })).toBe('deny');
    expect(judgeBoth({ deny: ['edit_file(KEYS/A)'] })).toBe('deny');
    expect(judgeBoth({ allow: ['edit_file(src/**)'] })).toBe('ask');
    expect(judgeBoth({ allow: ['edit_file(src/**)', 'edit_file(keys/a)'] })).toBe('allow');
    expect(judgePath('', { allow: ['edit_file(**)'] }, { target: { paths: [] }, mode }).judged).toBe('ask');
  });

  it('reads what a call is about', () => {
    const tool = (target: { path: string } | { command: string } | null) => ({ target: () => target });
    const read = (path: string, real?: string) =>
      readTarget(tool({ path }), {}, { workTree: '/w', ...(real === undefined ? {} : { real }) });
    expect(read('src/../a')).toEqual({ paths: ['a'] });
    expect(read('/w/a/')).toEqual({ paths: ['a'] });
    expect(read('/etc/x')).toEqual({ paths: ['../etc/x'] });
    expect(read('')).toEqual({ paths: ['.'] });
    expect(read('a', '/w/b/c')).toEqual({ paths: ['a', 'b/c'] });
    expect(readTarget(tool({ command: 'ls' }), {}, { workTree: '/w' })).toEqual({ command: 'ls' });
    expect(readTarget(tool(null), { a: 1 }, { workTree: '/w' })).toEqual({ input: { a: 1 } });
  });

  it('fit others exactly', () => {
    const judgeInput = (input: JsonObject, allow: string) =>
      judgeToolCall(call({ name: 'mcp__a__b', target: { input } }, { allow: [allow] })).judged;
    expect(judgeInput({}, 'mcp__a__b')).toBe('allow');
    expect(judgeInput({ a: 1, b: [2] }, 'mcp__a__b({"b":[2],"a":1})')).toBe('allow');
    expect(judgeInput({ a: 1 }, 'mcp__a__b({"a":2})')).toBe('ask');
    expect(judgeInput({}, 'mcp__a__b(x)')).toBe('ask');
    expect(judgeInput({}, 'mcp__a__c')).toBe('ask');
  });

  it('open what may hold secrets only by its name, in any mode', () => {
    const secret = { isSecret: true, mode: 'danger-full-access' as const };
    expect(judgePath('.env', {}, secret)).toEqual({ judged: 'ask', reason: expect.stringContaining('allow rule') });
    expect(judgePath('.env', { allow: ['edit_file'] }, secret).judged).toBe('ask');
    expect(judgePath('.env', { allow: ['edit_file(.env)'] }, secret)).toEqual(ALLOW);
    expect(judgePath('.env', {}, { isSecret: true, mode: 'read-only' })).toEqual(refuse('workspace-write'));
  });
});

describe('a deny rule for commands', () => {
  it.each([
    'git push',
    'git push origin main',
    'ls && git push; ls',
    'ls | git push &',
    'ls\ngit push',
    '/usr/bin/git push',
    'GIT push',
    'git -C sub -c a=b --no-pager push',
    'sudo -u me git push',
    'env A=b git push',
    'xargs git push',
    "sh -c 'git push'",
    'echo "$(git push)"',
    'echo `git push`',
    '[[ -n $(git push) ]]',
    '(( $(git push) ))',
    '((git push); ls)',
    'x=($(git push))',
    'cat <(git push)',
    'git "pu"sh',
    'g=git; $g push',
    'bash <<E\ngit push\nE',
  ])('fits %j in every mode', (command) => {
    for (const mode of MODES) {
      expect(judgeLine(command, { deny: ['Bash(git push:*)'], allow: ['bash'] }, { mode })).toEqual(
        deny('Bash(git push:*)'),
      );
      expect(judgeLine(command, { ask: ['bash(git push:*)'], allow: ['bash'] }, { mode }).judged).toBe('ask');
    }
  });

  it.each(['git pushes', 'git log push', 'echo git push', "echo '$(git push)'", 'mygit push'])(
    'leaves %j',
    (command) => {
      expect(judgeLine(command, { deny: ['bash(git push:*)'], allow: ['bash'] })).toEqual(ALLOW);
    },
  );

  it('takes all words where it has no :*', () => {
    const deny = ['bash(git push)'];
    expect(judgeLine('git push', { deny }).judged).toBe('deny');
    expect(judgeLine('ls | xargs git push', { deny }).judged).toBe('deny');
    expect(judgeLine('git push x', { deny, allow: ['bash'] }).judged).toBe('allow');
  });
});

describe('an allow rule for commands', () => {
  const allow = ['bash(npm test:*)', 'bash(ls)', 'bash(time:*)', 'bash(sh:*)', 'bash(xargs:*)'];
  it.each([
    'npm test',
    ' npm  test\t-- --run src ',
    'npm test && ls',
    'npm test || ls; ls | npm test;',
    'npm test 2>&1 | npm test',
    'npm test >/dev/null',
    'npm test > /dev/null 2>&1',
    'npm test 2>/dev/null && ls',
    "npm test 'a $(b) `c` > d'",
    'npm test "a; b > c" x"y"z',
    'npm test "a \\"b\\" \\n"',
    '\'npm\' te"st"',
    'time npm test',
    'xargs npm test',
    "sh -c 'npm test'",
    'npm test ärger',
  ])('fits %j', (command) => {
    expect(judgeLine(command, { allow })).toEqual(ALLOW);
  });

  it.each([
    '',
    ' ',
    ';',
    'npm tests',
    'npm',
    'ls -a',
    'npm test && rm a',
    'npm test; rm a',
    'npm test | bash',
    'npm test & rm a',
    'npm test &',
    'npm test\nrm a',
    'npm test\rrm',
    'npm test > log',
    'npm test >> /dev/null',
    'npm test >/dev/nullx',
    'npm test >/dev/null/../x',
    'npm test 2>&1x',
    'npm test 2>&12',
    'npm test x2>&1',
    'npm test 3>/dev/null',
    'npm test>/dev/null',
    'npm test < x',
    'npm test << E',
    'npm test <(x)',
    'npm test $x',
    'npm test "$x"',
    'npm test "\\$x"',
    'npm test "`x`"',
    'npm test `x`',
    'npm test $(x)',
    "npm test $'x'",
    'npm test *',
    'npm test ?',
    'npm test [a]',
    'npm test {a,b}',
    'npm test ~',
    'npm test HEAD~1',
    'npm test # x',
    'npm test !x',
    'npm test \\; ls',
    'npm test "a\\\nb"',
    "npm test 'x",
    'npm test "x',
    'npm test ;; ls',
    'npm test &&',
    'npm test |',
    'npm test |& ls',
    '&& ls',
    'A=b npm test',
    '"A=b" npm test',
    '(ls)',
    '{ ls; }',
    '[[ a ]] && ls',
    '((1)) && ls',
    'if ls; then ls; fi',
    '! ls',
    'for i in a; do ls; done',
    'time rm a',
    'xargs rm',
    'xargs ls',
    "sh -c 'rm a'",
    "sh -c 'npm test $(rm a)'",
    'ls () npm test',
    'ls\0',
  ])('does not fit %j', (command) => {
    expect(judgeLine(command, { allow }).judged).toBe('ask');
  });

  it('for all of bash fits any line', () => {
    expect(judgeLine('x=$(make); rm ~/a > b', { allow: ['bash'] })).toEqual(ALLOW);
  });

  it('fits a line only where it fits every command in it', () => {
    const { rules } = parseRules({ allow }, KNOWN);
    const part = fc.constantFrom(
      ...['npm test', 'ls', 'time ', 'sh -c ', 'xargs ', 'rm a', 'git status', 'env ', 'find . -exec ', 'timeout 5 '],
      ...[
        ' ',
        ';',
        '&&',
        '||',
        '|',
        '&',
        "'",
        '"',
        '\\',
        '\n',
        '$',
        '(',
        ')',
        '`',
        '>',
        '>/dev/null',
        ' 2>&1',
        '<',
        '#',
      ],
      ...['{', '}', '[[', ']]', '((', '))', '*', '~', '=', 'x', '2', '!', 'then ', '--'],
    );
    let allowed = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const command = parts.join('');
        if (judgeLine(command, { allow }).judged !== 'allow') return;
        allowed += 1;
        const plain = readPlainLine(command) ?? [];
        expect(plain.length).toBeGreaterThan(0);
        for (const words of listShellCommands(command)) {
          const isShipped = plain.some((one) => one.words.join('\0') === words.join('\0') && isShippedAllowed(one));
          expect([command, isShipped || rules.allow.some(({ about }) => fitsWords(about ?? '', words))]).toEqual([
            command,
            true,
          ]);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(allowed).toBeGreaterThan(10);
  });

  it('reads a plain line as the guard reads it', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-z0-9_.,:/@%+-]{1,6}$/),
      fc.string({ maxLength: 6 }).map((text) => `'${text.replace(/['\0]/g, '')}'`),
      fc.string({ maxLength: 6 }).map((text) => `"${text.replace(/["\\$`\0]/g, '')}"`),
    );
    const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => ['echo', ...words].join(' '));
    fc.assert(
      fc.property(
        fc.array(command, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(' && ', ';', '|', ' || '),
        (all, by) => {
          const line = all.join(by);
          expect(readPlainLine(line)?.map(({ words }) => words)).toEqual(listShellCommands(line));
        },
      ),
    );
  });

  it('takes no longer than the length of a line', () => {
    for (const part of ['a ', "'", '"\\"', '| ', 'a"b"', ';', '>/dev/null ', '2>&1 ', 'a=']) {
      readPlainLine(part.repeat(100_000));
    }
    const lists = { deny: ['bash(rm:*)'], ask: ['bash(mv:*)'], allow: ['bash(a:*)', 'bash(b)'] };
    for (const part of ['a;', 'b;a b c ;', 'a ', 'a | b|', 'a "b c" ', 'env ', 'git -C x ']) {
      judgeLine(`${part.repeat(20_000 / part.length)}a`, lists, { isDriven: true });
    }
  });
});

describe('the shipped rules', () => {
  it.each([
    'dev-cli check add-auth --action a18',
    'git status',
    'git diff HEAD -- src/a.ts',
    'git diff main..HEAD --stat | head -20',
    'git log --oneline -n 5 | tail -n +2 | wc -l',
    'git show HEAD:src/a.ts | head -c 100',
    'git diff --no-color --no-ext-diff 2>&1 | head --lines=5',
    'git status && git diff >/dev/null',
  ])('allow %j', (command) => {
    expect(judgeLine(command)).toEqual(ALLOW);
    expect(judgeLine(command, {}, { isDriven: true })).toEqual(ALLOW);
  });

  it.each([
    'git diff --output=a',
    'git diff --outp a',
    'git log --ext-diff',
    'git show --textc',
    'git diff --no-index a b',
    'git diff --no-i a b',
    'git diff /dev/null /etc/passwd',
    'git diff a ../../x',
    'git -C sub status',
    'git -c core.fsmonitor=x status',
    './git status',
    'git stash',
    'git blame a',
    'git',
    'head a',
    'head -5 a',
    'git log; head -5',
    'git log && head -5',
    'git log | head a',
    'git log | head -n 5 6',
    'git log | tail --follow=x',
    'git log | wc --files0-from=x',
    'git log | sort',
    'git status > a',
    "sh -c 'git status'",
  ])('do not allow %j', (command) => {
    expect(judgeLine(command)).toEqual(ask('workspace-write', 'danger-full-access'));
  });

  it.each([
    'dev-cli approve add-auth',
    'dev-cli',
    'dev-cli --json check',
    'dev-cli step complete x --action a1',
    './node_modules/.bin/dev-cli next',
    'ls; dev-cli abort x',
    'echo $(dev-cli next)',
    'env dev-cli next',
    'npx dev-cli next',
    'npx -y dev-cli-agent@latest next',
    'npm exec -- dev-cli next',
    'node bin/dev-cli.js next',
    'node --require x bin/dev-cli.js next',
  ])('deny %j in every mode', (command) => {
    for (const mode of MODES) {
      const judged = judgeLine(command, { allow: ['bash', 'bash(dev-cli:*)'] }, { mode });
      expect(judged).toEqual(deny('bash(dev-cli:*), but for dev-cli check'));
    }
  });

  it.each(['git grep dev-cli', 'cat bin/dev-cli.js', 'npm install dev-cli-agent', 'node bin/dev-cli.js check x'])(
    'do not deny %j',
    (command) => {
      expect(judgeLine(command, { allow: ['bash'] })).toEqual(ALLOW);
    },
  );

  it.each([
    ['git commit -m x', 'commit'],
    ['git -C . push', 'push'],
    ['git add .', 'add'],
    ['git checkout -b x', 'checkout'],
    ['git restore a', 'restore'],
    ['git stash', 'stash'],
    ['git branch x', 'branch'],
    ['git tag v1', 'tag'],
    ['git tag -d v1', 'tag'],
    ['git worktree add x', 'worktree'],
    ['git config a b', 'config'],
    ['git config --global a b', 'config'],
    ['git ci', 'ci'],
    ['git -c alias.x=y x', 'x'],
    ['git diff --output=a', 'diff'],
    ['sh -c "git commit"', 'commit'],
  ])('deny %j in a drive alone', (command, verb) => {
    const given = { mode: 'danger-full-access' as const };
    expect(judgeLine(command, {}, { ...given, isDriven: true })).toEqual(deny(`bash(git ${verb}:*)`));
    expect(judgeLine(command, {}, given)).toEqual(ALLOW);
  });

  it.each([
    'git status',
    'git blame a',
    'git branch',
    'git branch -vv',
    'git branch --contains HEAD',
    'git tag -l',
    'git stash list',
    'git stash show -p',
    'git config --get a',
    'git remote -v',
    'git worktree list',
    'git --version',
    'git ls-files',
  ])('leave %j in a drive', (command) => {
    expect(judgeLine(command, { allow: ['bash'] }, { isDriven: true })).toEqual(ALLOW);
  });
});

describe('a person', () => {
  const asking = { judged: 'ask', reason: 'requires approval' } as const;
  const bash = { tool: 'bash', input: { command: 'make' } };

  it.each([
    ['y', null],
    ['Y', null],
    [' yes ', null],
    ['n', 'denied by user approval prompt'],
    ['', 'denied by user approval prompt'],
    ['yikes', 'denied by user approval prompt'],
  ])('who says %j', async (typed, expected) => {
    const asked: string[] = [];
    const approve = createApprove(async (question) => {
      asked.push(question);
      return typed;
    });
    expect(await approve(asking, bash)).toBe(expected);
    expect(asked).toEqual([
      'Permission approval required\n  tool    bash\n  input   {"command":"make"}\n  reason  requires approval\nApprove this tool call? [y/N]: ',
    ]);
  });

  it('is asked about nothing that is allowed or denied', async () => {
    const approve = createApprove(() => Promise.reject(new Error('asked')));
    expect(await approve({ judged: 'allow' }, bash)).toBeNull();
    expect(await approve({ judged: 'deny', reason: 'no' }, bash)).toBe('no');
    await expect(approve(asking, bash)).rejects.toThrow('asked');
  });

  it('who is not there refuses', async () => {
    expect(await createApprove(null)(asking, bash)).toBe('requires approval');
  });

  it('sees every character, and one question at a time', async () => {
    const asked: string[] = [];
    const answers: ((typed: string) => void)[] = [];
    const approve = createApprove((question) => {
      asked.push(question);
      return new Promise((resolve) => answers.push(resolve));
    });
    const first = approve(asking, { tool: 'bash', input: { command: 'a\u202eb\u001b[2J\u200b\u0085\u3164' } });
    const second = approve(asking, { tool: 'write_file', input: { content: 'x'.repeat(100_000) } });
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('a\\u{202e}b\\u001b[2J\\u{200b}\\u{85}\\u{3164}');
    answers[0]?.('n');
    expect(await first).not.toBeNull();
    await new Promise(setImmediate);
    expect(asked[1]).toContain('[cut after 4000 of 100014 characters]');
    answers[1]?.('y');
    expect(await second).toBeNull();
  });
});
