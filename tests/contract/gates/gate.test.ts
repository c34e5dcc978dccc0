import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../../support/agent.mjs';
import { CHANGES } from '../../support/changes.mjs';
import { devCli, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { createProject } from '../../support/project.mjs';
import { smallPlan } from '../../support/small.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, startTiny } from '../../support/tiny.js';

// A gate as a person sees it at a terminal (protocol.md, A person's word).

const PLAN_BLOCKS = [
  '\n  - id: plan\n    type: llm+cli\n    instruction: Plan.\n    write: plan-content.json\n    then: dev-cli plan generate {name} --data plan-content.json\n',
  '\n  - id: approve\n    type: wait-for-user\n    human: required\n    artifact: PLAN.md\n    message: Shall it be?\n    choices: [{ id: approve, label: go, goto: next }, { id: revise, label: again, goto: plan, reason: required }, { id: stop, label: no, goto: halt }]\n',
  '\n  - id: end\n    type: llm\n    instruction: End.\n',
];

useProject({ sample: null });

const terminal = findRealTerminal();

/** Runs `approve` on a terminal with this many columns, typing these lines. */
function typed(columns: number, answers: string[], env: NodeJS.ProcessEnv = {}, at = project, name = 'run-1') {
  const command = `stty cols ${columns} rows 40; dev-cli approve ${name}`;
  const around = { cwd: at.root, env: { ...at.env, TERM: 'xterm', PAGER: 'cat', ...env }, answers };
  return terminal?.(command, around) ?? { exit: -1, output: '' };
}

const NOTE_BLOCKS = [
  '\n  - id: note\n    type: llm\n    instruction: Write NOTE.md.\n',
  '\n  - id: approve\n    type: wait-for-user\n    human: required\n    artifact: /NOTE.md\n    message: Is this the note?\n    choices: [{ id: approve, label: go, goto: next }, { id: again, label: again, goto: note, reason: required }]\n',
  '\n  - id: end\n    type: llm\n    instruction: End.\n',
];
const NOTE = ['# Why', ...Array.from({ length: 60 }, (_, line) => `  - point ${line + 1}`), ''].join('\n');

/** Matches the question, printed as lines, or on a screen, where the cursor moves to the beginning of each line. */
const ASKED = /leave(?:\s|\u001b\[\S*[HK])+it(?:\s|\u001b\[\S*[HK])+open\):/;

/** Runs a shell in which a person types the next text when the terminal shows the output expected before it. */
async function atShell(columns: number, talk: [said: RegExp, typed: string][]): Promise<string> {
  const line = `stty cols ${columns} rows 40; PS1='shell> ' exec sh -i`;
  const env = { ...project.env, TERM: 'xterm', ENV: '' };
  const shell = spawn('script', ['-qec', line, '/dev/null'], { cwd: project.root, env, timeout: 20_000 });
  let output = '';
  let seen = 0;
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const [said, typed] = talk[0] ?? [/(?!)/, ''];
    if (!said.test(output.slice(seen))) return;
    seen = output.length;
    talk.shift();
    shell.stdin.write(typed);
  });
  await new Promise((resolve) => shell.once('close', resolve));
  return output;
}

function openPlanGate(title = 'Make it', action: Action = startTiny(project, PLAN_BLOCKS)): void {
  const plan = smallPlan();
  const todos = plan.todos.map((todo, index) => (index === 0 ? { ...todo, title } : todo));
  writeProjectFile(project, action.data?.write ?? '', JSON.stringify({ ...plan, todos }));
  expect(acknowledge(project, action).code).toBe(0);
}

const choice = () => stateOf(project, 'run-1').gates['approve']?.choice;

describe.skipIf(terminal === null)(`a gate${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  it('about a plan shows it, asks again after a wrong key, shows the document, and takes two keys', () => {
    openPlanGate();
    const { exit, output } = typed(100, ['z', 'p', '', '1']);
    expect(exit, output).toBe(0);
    expect(choice()).toBe('approve');
    for (const shown of ['run-1 waits for you', 'Shall it be?', 'Why', 'Todos', 'todo-1: Make it', '1  approve: go'])
      expect(output).toContain(shown);
    expect(output).toContain('There is no such choice.');
    expect(output).toContain('### [ ] todo-1: Make it');
  });

  it('about a plan shows the blanks of code', () => {
    openPlanGate('Print  `a  b`');
    const { exit, output } = typed(200, ['1']);
    expect(exit, output).toBe(0);
    expect(output).toContain('todo-1: Print `a  b` (');
  });

  it.each([
    [20, 'xterm'],
    [100, 'dumb'],
  ])('is plain lines on %i columns, TERM %s', (columns, TERM) => {
    openPlanGate();
    const { exit, output } = typed(columns, ['7', '3'], { TERM });
    expect(exit, output).toBe(0);
    expect(choice()).toBe('stop');
    expect(output).not.toContain('\u001b[?1049h');
    expect(output).toContain('There is no such choice.');
  });

  it('is a page: title and answers stay, the text scrolls, and the terminal is as before', () => {
    openPlanGate();
    const { exit, output } = typed(60, ['2', 'because'], {}, project, 'run-1 && echo as before');
    expect(exit, output).toBe(0);
    expect(output).toContain('\u001b[1;1H\u001b[2Krun-1 waits for you');
    expect(output).toMatch(/1 {2}approve: go[\s\S]*Your choice [\s\S]*\u001b\[40;1H[^\n]*open\): /);
    expect(output).toMatch(/\u001b\[\?7h\u001b\[\?25h\u001b\[\?1049l[\s\S]*Why\? [\s\S]*as before/);
  });

  it.each([100, 20])('on %i columns: nothing typed changes nothing', (columns) => {
    openPlanGate();
    const { exit, output } = typed(columns, ['']);
    expect([exit, choice()], output).toEqual([2, undefined]);
    expect(output).toContain('Nothing was chosen.');
  });

  it.each([100, 20])('on %i columns: what was typed before it is no answer, and it says so', (columns) => {
    openPlanGate();
    const command = `stty cols ${columns} rows 40; dev-cli approve run-1`;
    const env = { ...project.env, TERM: 'xterm' };
    const told = terminal?.(command, { cwd: project.root, env, ahead: '1\r', answers: ['3'] });
    expect([told?.exit, choice()], told?.output).toEqual([0, 'stop']);
    expect(told?.output).toContain('Text typed before this question was ignored.');
  });

  it.each([100, 20])('on %i columns: the end of the input is no answer, and no success', async (columns) => {
    openPlanGate();
    const output = await atShell(columns, [
      [/shell> $/, 'dev-cli approve run-1; echo ended $?\r'],
      [ASKED, '\u0004'],
      [/ended \d/, 'exit\r'],
    ]);
    expect([choice(), /ended \d+/.exec(output)?.[0]], output).toEqual([undefined, 'ended 130']);
    expect(output).toContain('INTERRUPTED');
  });

  it.each([100, 20])('on %i columns: stopped by Ctrl-Z, it asks again in the foreground', async (columns) => {
    openPlanGate();
    const output = await atShell(columns, [
      [/shell> $/, 'dev-cli approve run-1\r'],
      [ASKED, '\u001a'],
      [/Stopped[\s\S]*shell> $/, 'fg; echo ended $?\r'],
      [ASKED, '3\r'],
      [/ended \d/, 'exit\r'],
    ]);
    expect([choice(), /ended \d+/.exec(output)?.[0]], output).toEqual(['stop', 'ended 0']);
  });

  it('after a revision says what has changed since the last answer', () => {
    openPlanGate();
    const first = typed(100, ['2', 'Call it otherwise.']);
    expect(first.exit, first.output).toBe(0);
    expect(first.output).not.toContain('What changed since');
    openPlanGate('Make another', devCli(project, ['next', 'run-1']).json as unknown as Action);
    const { exit, output } = typed(100, ['1']);
    expect(exit, output).toBe(0);
    expect(output).toMatch(/What changed since you last answered[\s\S]*todo-1[\s\S]*Make another/);
  });

  it('shows a hostile title as text, in scripts that join, and without what a terminal acts on', () => {
    openPlanGate('\u001b[2J\u202etitle 👩‍👩‍👧 עברית हिन्दी 한국어 `rm -rf`');
    const { exit, output } = typed(60, ['1']);
    expect(exit, output).toBe(0);
    expect(output).not.toMatch(/\u001b\[2J|\u202e/);
    expect(output).toContain('👩‍👩‍👧');
  });

  it('about another document shows how it begins, all of it by a key, and whether it is the one that was sent back', () => {
    const action = startTiny(project, NOTE_BLOCKS);
    writeProjectFile(project, 'NOTE.md', NOTE);
    expect(acknowledge(project, action).code).toBe(0);
    const first = typed(100, ['a', '2', 'Say more.'], { TERM: 'dumb' });
    expect(first.exit, first.output).toBe(0);
    const [screen = '', ...page] = first.output.split(ASKED);
    expect(screen).toContain('NOTE.md');
    expect(screen).toContain('    - point 39');
    expect(screen).toContain('… and 21 more lines');
    expect(screen).not.toMatch(/point 40|What changed since/);
    expect(page.join('')).toContain('  - point 60');
    acknowledge(project, devCli(project, ['next', 'run-1']).json as unknown as Action);
    const second = typed(100, ['1'], { TERM: 'dumb' });
    expect(second.exit, second.output).toBe(0);
    expect(second.output).toMatch(/What changed since you last answered[\s-]+Nothing\./);
  });

  it('about a plan says what the reviewer noted, and shows the review by a key', () => {
    const change = CHANGES.middle;
    const reviewed = createProject({});
    const scenario = { before: ({ block }: Action) => (block === 'approve-plan' ? ('stop' as const) : undefined) };
    const agent = new StandIn({ project: reviewed, change, crew: change.crew(), scenario });
    agent.drive(agent.start('--recipe specify-standard-interactive'));
    const { output } = typed(100, ['r', ''], { TERM: 'dumb' }, reviewed, change.name);
    reviewed.remove();
    const [screen = '', ...page] = output.split(ASKED);
    expect(screen).toMatch(/Review\n- Review, round 1: OKAY\n- todo-2: a case with its input: DELETE/);
    expect(screen).toMatch(/npm test \[todo-2\/ac-\d\]/);
    expect(screen).toContain('r: the review');
    expect(page.join('')).toContain('## Blocking');
  });
});
