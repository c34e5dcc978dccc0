import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { begin, doAll, engineOf, making, planOf, RUN, waited } from '../../adversarial/binary/executing.js';
import { devCli, imageOf, journalOf, runDir, writeProjectFile } from '../../support/cli.js';
import { closeTerminal } from '../../support/closed-terminal.js';
import { project, useProject } from '../../support/each-project.js';
import { BINARY } from '../../support/project.mjs';
import { findRealTerminal, findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// living-plan.md, plan edit, tested through the binary, with scripts as editors.

const terminal = findTerminal();

useProject({ sample: null });
beforeEach(() => {
  writeProjectFile(
    project,
    `.dev/specs/${RUN}/plan-content.json`,
    JSON.stringify(planOf(making('todo-1'), making('todo-2'))),
  );
  expect(devCli(project, ['plan', 'generate', RUN]).code).toBe(0);
});

const at = (path: string) => join(runDir(project, RUN), path);
const plan = (): PlanContent => JSON.parse(readFileSync(at('plan-content.json'), 'utf8')) as PlanContent;
const titles = () => plan().todos.map(({ title }) => title);
/**
 * Whether an edited text is kept for the next `plan edit`. A copy marked `left` is only there because an editor may
 * still have it open and unsaved; it does not count.
 */
const isKept = () => existsSync(at('edit')) && !/"left":true/.test(readFileSync(at('edit/origin.json'), 'utf8'));
const text = () => readFileSync(at('edit/PLAN.md'), 'utf8');
/** Saves a new title, like an editor whose command has returned but whose window is still open. */
const save = (title: string) => writeFileSync(at('edit/PLAN.md'), text().replace(/^(### .*todo-2: ).*/m, `$1${title}`));

/** Writes an editor that runs these shell lines; the file is `$1`. */
function editor(lines: string): string {
  const path = join(project.home, 'an editor');
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return `'${path}' --wait`;
}

/** Types `plan edit` into a terminal, then these answers. The editor receives `--wait` as its first argument. */
function edited(lines: string, answers: string[] = [], args = ''): { exit: number; output: string } {
  if (terminal === null) throw new Error(NO_TERMINAL);
  const env = { ...project.env, EDITOR: editor(`shift\n${lines}`), VISUAL: '', TERM: 'dumb' };
  return terminal(`dev-cli plan edit ${RUN} ${args}`, { cwd: project.root, env, answers });
}

const RENAME = 'sed -i.orig \'s/^### .*todo-1: .*/### todo-1: 👩‍👩‍👧 ログ עברית हिन्दी 한국어 Ünïcode/\' "$1"';
const BREAK =
  'sed -i.orig \'s/^work, risk.*/work, risk huge/; s/^\\*\\*Files/**Filse/\' "$1"; touch "$(dirname "$1")/.PLAN.md.swp"';

describe.skipIf(terminal === null)('plan edit', () => {
  it('takes the edit up, says what changed, and leaves nothing', () => {
    const done = edited(RENAME);
    expect(done.exit, done.output).toBe(0);
    expect(titles()[0]).toBe('👩‍👩‍👧 ログ עברית हिन्दी 한국어 Ünïcode');
    expect(done.output).toContain('todo-1\n  title:');
    expect(isKept()).toBe(false);
    expect(devCli(project, ['plan', 'validate', RUN]).json).toMatchObject({ valid: true, edited: false });
  });

  it('of an execution has a done todo done again as it now reads, in one question', () => {
    const first = begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    doAll(project, first);
    waited(project);
    const told = edited(RENAME, ['no']);
    expect(told.output).toContain(`to do it again: dev-cli plan edit ${RUN} --reopen todo-1`);
    expect(told.output).toContain('The edited text is kept. To decide again: ');
    expect(isKept()).toBe(true);
    const done = edited('true', ['yes'], '--reopen todo-1');
    expect(done.exit, done.output).toBe(0);
    expect(done.output).toContain('todo-1: done, and will be done again');
    expect(engineOf(project).tasks).toMatchObject({
      [Object.keys(engineOf(project).tasks)[0] ?? '']: { todoId: 'todo-1' },
    });
  });

  it.each([
    ['says nothing new', 'true'],
    ['writes CRLF and trailing blanks', 'sed -i.orig \'s/$/ \\r/\' "$1"'],
  ])('changes nothing where the editor %s', (_, lines) => {
    const before = imageOf(project);
    const done = edited(lines);
    expect([done.exit, done.output]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
    rmSync(at('edit'), { recursive: true, force: true });
    expect(imageOf(project)).toEqual(before);
  });

  it('names what cannot be placed, opens the editor again, and takes up what is mended', () => {
    const count = join(project.home, 'count');
    const lines = `if test -e ${count}; then sed -i.orig 's/risk huge/risk high/; s/Filse/Files/' "$1"; else touch ${count}; ${BREAK}; fi`;
    const done = edited(lines, ['1']);
    expect(done.exit, done.output).toBe(0);
    expect(done.output).toMatch(/PLAN\.md:\d+: .*risk is low, medium or high[\s\S]*did you mean \*\*Files\*\*/);
    expect(plan().todos.map(({ risk }) => risk)).toEqual(['high', 'high']);
    expect(isKept()).toBe(false);
  });

  it('keeps a text that it no longer knows the beginning of, and begins anew where only that is left', () => {
    expect(edited(BREAK, ['2']).exit).toBe(3);
    const text = readFileSync(at('edit/PLAN.md'), 'utf8');
    const origin = readFileSync(at('edit/origin.json'), 'utf8');
    writeFileSync(at('edit/origin.json'), origin.slice(0, 40));
    const refused = edited(RENAME);
    expect([refused.exit, refused.output]).toEqual([
      expect.any(Number),
      expect.stringMatching(/DOCUMENT_UNREADABLE: .*edit\/PLAN\.md.*--discard/),
    ]);
    expect(refused.exit).not.toBe(0);
    expect(readFileSync(at('edit/PLAN.md'), 'utf8')).toBe(text);
    writeFileSync(at('edit/origin.json'), origin);
    rmSync(at('edit/PLAN.md'));
    const anew = edited(RENAME);
    expect([anew.exit, isKept()], anew.output).toEqual([0, false]);
    expect(titles()[0]).toContain('ログ');
  });

  it('keeps a text whose beginning nobody knows, and what is in it', () => {
    const saved = readFileSync(at('PLAN.md'), 'utf8').replace(/^(### .*todo-2: ).*/m, '$1Saved later');
    writeProjectFile(project, `.dev/specs/${RUN}/edit/PLAN.md`, saved);
    const later = edited('grep -q "Saved later" "$1"');
    expect(later.exit, later.output).toBe(0);
    expect(later.output).toContain('continues an earlier edit');
    expect(titles()[1]).toBe('Saved later');
    rmSync(at('edit'), { recursive: true });
    const strange = saved.replace(/dev-cli plan 2 \(\w+\)/, 'dev-cli plan 2 (0123456789ab)');
    writeProjectFile(project, `.dev/specs/${RUN}/edit/PLAN.md`, strange);
    expect(edited(RENAME).output).toMatch(/DOCUMENT_UNREADABLE: .*edit\/PLAN\.md.*--discard/);
    expect(text()).toBe(strange);
    expect(edited('true', [], '--discard').output).toContain('discarded');
    expect(existsSync(at('edit'))).toBe(false);
  });

  it('keeps a text with faults, goes on with it and says so, or throws it away on purpose', () => {
    const before = readFileSync(at('PLAN.md'), 'utf8');
    const kept = edited(BREAK, ['2']);
    expect([kept.exit, isKept()], kept.output).toEqual([3, true]);
    expect(kept.output).toContain(`dev-cli plan edit ${RUN} --discard`);
    expect(readFileSync(at('PLAN.md'), 'utf8')).toBe(before);
    const again = edited('true', ['']);
    expect(again.output).toContain('continues an earlier edit');
    expect([again.exit, isKept()]).toEqual([3, true]);
    const discarded = edited('exit 9', [], '--discard');
    expect([discarded.exit, isKept()], discarded.output).toEqual([0, false]);
    expect(edited('exit 9', [], '--discard').output).toContain('No text was kept.');
  });

  it.each([
    ['deletes the text', 'rm "$1"'],
    ['empties it', ': > "$1"'],
    ['puts a directory in its place', 'rm "$1"; mkdir "$1"'],
    ['writes no UTF-8', 'printf "\\377" > "$1"'],
    ['writes 50 MB', 'head -c 50000000 /dev/zero > "$1"'],
  ])('takes up nothing where the editor %s', (_, lines) => {
    const before = imageOf(project);
    const done = edited(lines, ['3']);
    expect(done.exit, done.output).toBe(0);
    expect(done.output).toContain('cannot be read');
    expect(imageOf(project)).toEqual(before);
  });

  it('where the editor fails keeps what was typed, and nothing else', () => {
    const failed = edited('exit 3');
    expect([failed.exit, isKept()], failed.output).toEqual([1, false]);
    expect(failed.output).toContain('ended with exit status 3');
    const typed = edited(`${RENAME}; exit 1`);
    expect([typed.exit, isKept()], typed.output).toEqual([1, true]);
    expect(edited('true').exit).toBe(0);
    expect(titles()[0]).toContain('ログ');
  });

  it('where the editor fails keeps what it has saved beside the text, too', () => {
    const failed = edited('echo typed >"$(dirname "$1")/.PLAN.md.swp"; exit 1');
    expect([failed.exit, isKept()], failed.output).toEqual([1, true]);
    expect(readFileSync(at('edit/.PLAN.md.swp'), 'utf8')).toBe('typed\n');
    expect(failed.output).toContain('The edited text is kept');
    const found = edited('cp "$(dirname "$1")/.PLAN.md.swp" "$(dirname "$0")/found"');
    expect(found.exit, found.output).toBe(0);
    expect(existsSync(join(project.home, 'found'))).toBe(true);
  });

  it('merges with a change of another part, and names one of the same', () => {
    const call = (args: string) => `node ${BINARY} ${args} >/dev/null`;
    const both = edited(`${RENAME}\n${call(`plan move ${RUN} todo-2 --first`)}`);
    expect(both.exit, both.output).toBe(0);
    expect(titles()[1]).toContain('ログ');
    const same = JSON.stringify({ ...plan(), todos: plan().todos.map((todo) => ({ ...todo, title: 'Other' })) });
    writeProjectFile(project, 'other.json', same);
    const lines = `sed -i.orig 's/^### .*todo-1: .*/### todo-1: Mine/' "$1"\n${call(`plan generate ${RUN} --data @other.json`)}`;
    const apart = edited(lines, ['2']);
    expect([apart.exit, isKept()], apart.output).toEqual([4, true]);
    expect(apart.output).toContain('todo-1 title: changed in both');
    expect(titles()).toEqual(['Other', 'Other']);
  });

  it('opens a PLAN.md that was edited and cannot be read, as it stands', () => {
    const text = readFileSync(at('PLAN.md'), 'utf8');
    writeFileSync(at('PLAN.md'), text.replace(/work, risk (\w+)/, 'work, risk huge'));
    const done = edited('sed -i.orig \'s/risk huge/risk high/\' "$1"');
    expect(done.exit, done.output).toBe(0);
    expect(plan().todos[0]?.risk).toBe('high');
  });

  it('in an execution shows what becomes of the todos and asks once; after a no the text is kept', () => {
    begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] })));
    const no = edited('sed -i.orig \'s/^### .*todo-2: .*/### todo-2: Otherwise/\' "$1"', ['no']);
    expect([no.exit, isKept()], no.output).toEqual([2, true]);
    const yes = edited('true', ['yes']);
    expect([yes.exit, isKept()], yes.output).toEqual([0, false]);
    expect(yes.output).toContain('todo-2: changed while not in progress');
    expect(titles()[1]).toBe('Otherwise');
    expect(journalOf(project, RUN).filter(({ type }) => type === 'plan-applied')).toHaveLength(1);
    expect(devCli(project, ['replay', RUN, '--check']).code).toBe(0);
  });
});

describe.skipIf(terminal === null)('an editor that returns at once, and is open still', () => {
  const typed = (command: string, answers: string[] = []) => {
    if (terminal === null) throw new Error(NO_TERMINAL);
    const env = { ...project.env, EDITOR: 'true', VISUAL: '', TERM: 'dumb', PAGER: 'cat' };
    return terminal(`dev-cli ${command}`, { cwd: project.root, env, answers });
  };
  const chain = () => planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }));

  it.each(['plan edit', 'plan apply'])('has what it saves later taken up by %s', (command) => {
    const done = typed(`plan edit ${RUN}`);
    expect(done.exit, done.output).toBe(0);
    expect(done.output.replace(/\s+/g, ' ')).toContain(`save there: .dev/specs/${RUN}/edit/PLAN.md stays`);
    save('Saved later');
    const later = typed(`${command} ${RUN}`);
    expect([later.exit, titles()[1]], later.output).toEqual([0, 'Saved later']);
    expect(devCli(project, ['plan', 'validate', RUN]).json).toMatchObject({ valid: true, edited: false });
  });

  it('saves once more after that, and nothing is lost', () => {
    typed(`plan edit ${RUN}`);
    save('Saved later');
    expect(typed(`plan edit ${RUN}`).exit).toBe(0);
    save('Saved once more');
    expect(typed(`plan edit ${RUN}`).exit).toBe(0);
    expect(titles()[1]).toBe('Saved once more');
  });

  it('in an execution has it decided on by a person alone', () => {
    begin(project, chain());
    typed(`plan edit ${RUN}`);
    save('Saved later');
    expect(devCli(project, ['plan', 'apply', RUN]).json['plan']).toMatchObject({ status: 'unchanged' });
    expect(typed(`plan apply ${RUN} --dry-run`).output).toContain('Saved later');
    const no = typed(`plan apply ${RUN}`, ['no']);
    expect([no.exit, titles()[1]], no.output).toEqual([2, 'Title of todo-2']);
    const yes = typed(`plan apply ${RUN}`, ['yes']);
    expect([yes.exit, titles()[1]], yes.output).toEqual([0, 'Saved later']);
    expect(existsSync(at('edit'))).toBe(false);
  });

  it('has it taken up by the gate that asks about the plan', () => {
    begin(project, chain(), { flags: [] });
    const first = typed(`approve ${RUN}`, ['e', '']);
    expect(first.output).toContain('edit/PLAN.md stays');
    save('Saved later');
    const { exit, output } = typed(`approve ${RUN}`, ['1']);
    expect([exit, titles()[1]], output).toEqual([0, 'Saved later']);
    expect(output).toContain('Saved later');
  });

  it('has a text that cannot be read kept, and its lines named', () => {
    typed(`plan edit ${RUN}`);
    writeFileSync(at('edit/PLAN.md'), `${text()}\n> quoted\n`);
    const { exit, output } = typed(`plan apply ${RUN}`);
    expect([exit, output]).toEqual([3, expect.stringMatching(/The edited text is kept[\s\S]*--discard/)]);
    expect(output).toMatch(/PLAN\.md:\d+/);
    expect(text()).toContain('> quoted');
  });

  it('leaves nothing that a later edit begins with, where nothing was saved', () => {
    typed(`plan edit ${RUN}`);
    expect(devCli(project, ['plan', 'move', RUN, 'todo-2', '--first']).code).toBe(0);
    const done = edited('grep -n "^### .*todo-" "$1" | head -1 | grep -q todo-2 || exit 7; '.concat(RENAME));
    expect(done.exit, done.output).toBe(0);
    expect(done.output).not.toContain('continues an earlier edit');
    expect(existsSync(at('edit'))).toBe(false);
    expect(titles()[1]).toContain('ログ');
    typed(`plan edit ${RUN}`);
    expect(typed(`plan edit ${RUN} --discard`).output).toContain('No text was kept.');
    expect(existsSync(at('edit'))).toBe(false);
  });
});

describe('plan edit', () => {
  it('is for a person at a terminal, and makes nothing without one', () => {
    const before = imageOf(project);
    for (const more of [[], ['--discard']]) {
      const refused = devCli(project, ['plan', 'edit', RUN, ...more]);
      expect(refused.json.error).toMatchObject({
        code: 'TERMINAL_REQUIRED',
        answer: ['dev-cli plan edit', RUN, ...more].join(' '),
      });
    }
    expect(imageOf(project)).toEqual(before);
  });
});

describe.skipIf(findRealTerminal() === null)('an open editor', () => {
  it('keeps a second one away; a call that is ended keeps the text, and leaves no lock', async () => {
    const env = {
      ...project.env,
      TERM: 'dumb',
      EDITOR: editor(`shift\n${RENAME}\necho ready > ${project.home}/ready\nexec sleep 30`),
    };
    const first = spawn('script', ['-qec', `dev-cli plan edit ${RUN}`, '/dev/null'], {
      cwd: project.root,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => first.once('close', resolve));
    for (let tries = 0; !existsSync(join(project.home, 'ready')) && tries < 200; tries += 1) await pause(50);
    const second = edited('true');
    expect(second.exit, second.output).toBe(4);
    const { pid } = JSON.parse(readFileSync(at('edit.lock'), 'utf8')) as { pid: number };
    expect(second.output).toContain(`process ${pid}`);
    // During an edit, Ctrl-C belongs to the editor.
    process.kill(pid, 'SIGINT');
    await pause(100);
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(pid, 'SIGTERM');
    await ended;
    expect([isKept(), existsSync(at('edit.lock'))]).toEqual([true, false]);
    const next = edited('true');
    expect(next.exit, next.output).toBe(0);
    expect(next.output).toContain('continues an earlier edit');
    expect(titles()[0]).toContain('ログ');
  });

  it('whose terminal is closed ends as an interrupted call, keeps the text and leaves no lock', async () => {
    const ready = join(project.home, 'ready');
    const env = { TERM: 'dumb', EDITOR: editor(`shift\n${RENAME}\necho ready > '${ready}'\nexec sleep 30`) };
    const ended = await closeTerminal(project, ['plan', 'edit', RUN], { when: () => existsSync(ready), env });
    expect(ended).toEqual({ exit: 130, by: null });
    expect([isKept(), existsSync(at('edit.lock'))]).toEqual([true, false]);
    expect(readFileSync(at('edit/PLAN.md'), 'utf8')).toContain('ログ');
  });
});
