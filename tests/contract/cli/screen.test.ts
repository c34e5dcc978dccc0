import { execSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, stateOf, writeProjectFile } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny, tiny } from '../../support/tiny.js';
import { sitDown, type Typist } from '../../support/typist.js';

// view.md, Home; view.md, Run screen; view.md, Gate; view.md, Drawing: tested through the shipped binary, at a real
// terminal.

const GATE =
  '\n  - id: approve\n    type: wait-for-user\n    message: Shall it be?\n    choices: [{ id: yes, goto: next }, { id: no, goto: next, reason: required }]\n';
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

let project: Project;
let typists: Typist[] = [];
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => {
  for (const typist of typists) typist.kill();
  typists = [];
  project.remove();
});

function sit(line: string, options: Parameters<typeof sitDown>[2] = {}): Typist {
  const typist = sitDown(project, line, options);
  typists.push(typist);
  return typist;
}

const openGate = () => acknowledge(project, startTiny(project, [PLAIN_BLOCK, GATE, END_BLOCK]));
const choice = () => stateOf(project, 'run-1').gates['approve'];

describe.skipIf(findRealTerminal() === null)(
  `screens${findRealTerminal() === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  () => {
    it('lead from home to the run, its gate and back, and leave the terminal as it was', async () => {
      openGate();
      const person = sit('before=$(stty -g); dev-cli; echo "exit $?"; test "$before" = "$(stty -g)" && echo as before');
      await person.sees(/Waiting for you\n› ● run-1 {2}Shall it be\?[\s\S]*dev-cli approve run-1[\s\S]*\n\? keys/);
      person.type('\r');
      await person.sees(/^run-1 {2}tiny-run-1\n● waiting for you: Shall it be\?[\s\S]*› ● approve/);
      person.type('a');
      await person.sees(/^run-1 waits for you\n[\s\S]*1 {2}yes\n2 {2}no \(requires a reason\)\nYour choice/);
      expect(choice()).toBeUndefined();
      person.type('x');
      person.type('\u007f');
      person.type('1\r');
      await person.sees(/^run-1 {2}tiny-run-1\n◐ waiting for the agent[\s\S]*Recorded\. Tell the agent/);
      expect(choice()).toMatchObject({ choice: 'yes', by: 'human' });
      person.type('\u001b');
      await person.sees(/Agents at work\n› ◐ run-1/);
      person.type('q');
      await person.ended();
      expect(person.output()).toMatch(/exit 0\r\nas before/);
      expect(person.output().split(ENTER).length).toBe(person.output().split(LEAVE).length);
    });

    it('say in words what came of a question that was left open, and where nothing asks', async () => {
      openGate();
      const person = sit('dev-cli status --watch');
      await person.sees(/› ● approve/);
      person.type('a');
      await person.sees(/Your choice/);
      person.type('\r');
      await person.sees(/\nThe question is left open\.\n\?/);
      expect(choice()).toBeUndefined();
      person.type('a');
      await person.sees(/Your choice/);
      person.type('1\r');
      await person.sees(/\n◐ waiting for the agent[\s\S]*Recorded/);
      person.type('a');
      await person.sees(/\nNothing in "run-1" waits for a person\.\n\?/);
    });

    it('are lines, one below the other, with --text: home, a gate, a run', async () => {
      openGate();
      const person = sit('dev-cli --text; dev-cli approve run-1 --text; dev-cli status --watch --text');
      await person.sees(/Waiting for you\nwaits for you: run-1[\s\S]*Your choice/);
      person.type('yes\r');
      await person.sees(/Recorded[\s\S]*at work: last/);
      person.type('\u0003');
      await person.ended();
      expect(person.output()).not.toContain('\u001b[?1049h');
      expect(choice()).toMatchObject({ choice: 'yes', by: 'human' });
    });

    it('take a reason where an answer wants one', async () => {
      openGate();
      const person = sit('dev-cli status --watch');
      await person.sees(/› ● approve/);
      person.type('a');
      await person.sees(/Your choice/);
      person.type('2\r');
      await person.sees(/Why\?/);
      person.type('not like this\r');
      await person.sees(/Recorded/);
      expect(choice()).toMatchObject({ choice: 'no', note: 'not like this' });
    });

    it('show what an agent does meanwhile, hold the run after a yes, stay when it ends, and write nothing', async () => {
      const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
      const image = imageOf(project);
      const person = sit('dev-cli status run-1 --watch', { columns: 120 });
      await person.sees(/› ◐ think[\s\S]*work \d+ s/);
      expect(imageOf(project)).toEqual(image);
      const second = acknowledge(project, first);
      await person.sees(/› ◐ last [\s\S]*✓ think/);
      person.type('h');
      await person.sees(/Hold the run\? y/);
      person.type('n');
      person.type('h');
      person.type('y');
      await person.sees(/\n‖ held by/);
      expect(devCli(project, ['next', 'run-1']).json).toMatchObject({ action: 'held' });
      expect(second.code).toBe(0);
      person.type('h');
      await person.sees(/Type yes/);
      person.type('yes\r');
      await person.sees(/\n◐ waiting for the agent: last/);
      expect(devCli(project, ['abort', 'run-1', '--reason', 'enough']).code).toBe(0);
      await person.sees(/\n✗ [^\n]*enough/);
      person.type('q');
      expect(await person.ended()).toBe(0);
    });

    it('are silent where nothing is at work', async () => {
      openGate();
      for (const line of ['dev-cli', 'dev-cli status run-1 --watch']) {
        const person = sit(line);
        await person.sees(/\? keys/);
        await pause(500);
        const before = person.output();
        await pause(3000);
        expect(person.output()).toBe(before);
      }
    });

    it('are drawn anew at once in a window of another size', async () => {
      openGate();
      const person = sit('dev-cli status --watch');
      await person.sees(/\? keys/);
      person.resize(60, 12);
      await person.sees(/^run-1[\s\S]*\n\? keys {2}q leave {2}a answer {2}Enter details {2}↑↓ move {2}l log$/);
      person.resize(30, 6);
      await person.sees(/^● run-1 \d+ s\nwaiting for you/);
      person.resize(120, 30);
      await person.sees(/› ● approve +question[^\n]*approve/);
    });

    it('are stopped by Ctrl-Z, and drawn anew in the foreground', async () => {
      openGate();
      const person = sit(`PS1='shell> ' ENV= exec sh -i`);
      await person.sees(/shell> $/m);
      person.type('dev-cli status --watch; echo "exit $?"\r');
      await person.sees(/› ● approve/);
      person.type('\u001a');
      await person.sees(/Stopped[\s\S]*shell> $/m);
      expect(person.output()).toContain(LEAVE);
      person.type('fg; echo "exit $?"\r');
      await person.sees(/› ● approve/);
      person.type('q');
      await person.sees(/exit 0/);
      person.type('exit\r');
      await person.ended();
    });

    it.each(['TERM', 'INT', 'HUP'])('give the terminal back at SIG%s', async (signal) => {
      openGate();
      const person = sit(`(while [ ! -f go ]; do sleep 0.1; done; kill -${signal} $$) & exec dev-cli status --watch`);
      await person.sees(/\? keys/);
      writeProjectFile(project, 'go', '');
      expect(await person.ended()).toBe(130);
      expect(person.output().trimEnd().endsWith(LEAVE)).toBe(true);
    });

    it('give it back where the gate’s page is open, too', async () => {
      openGate();
      const person = sit('(while [ ! -f go ]; do sleep 0.1; done; kill -TERM $$) & exec dev-cli approve run-1');
      await person.sees(/Your choice/);
      writeProjectFile(project, 'go', '');
      expect(await person.ended()).toBe(130);
      expect(person.output()).toContain(LEAVE);
      expect(choice()).toBeUndefined();
    });

    it('show plan and log in the pager, cleaned, and say where there is none', async () => {
      const blocks = [
        `\n  - { id: loud, type: cli, command: "printf 'said \\\\033]0;x\\\\007loudly\\\\n'" }\n`,
        PLAIN_BLOCK,
      ];
      tiny(project, 'tiny-run-1', blocks);
      findRealTerminal()?.('dev-cli trust tiny-run-1', { cwd: project.root, env: project.env, answers: ['y'] });
      startTiny(project, blocks);
      const person = sit('dev-cli status --watch');
      await person.sees(/› ◐ think/);
      person.type('p');
      await person.sees(/There is no plan yet\./);
      person.type('d');
      await person.sees(/It has no commit\./);
      person.type('G');
      await person.sees(/› ✓ loud/);
      person.type('l');
      // This pager ends at once. Its text must stay on the screen until the person presses Enter.
      await person.sees(/said \]0;xloudly\n+Enter goes back:/);
      person.type('\r');
      await person.sees(/› ✓ loud/);
      person.type('q');
      expect(await person.ended()).toBe(0);
    });

    it('in tmux, too', async () => {
      const has = (() => {
        try {
          return execSync('command -v tmux', { encoding: 'utf8' }) !== '';
        } catch {
          return false;
        }
      })();
      if (!has) return;
      openGate();
      const socket = `dev-cli-${process.pid}`;
      const tmux = (words: string) =>
        execSync(`tmux -L ${socket} -f /dev/null ${words}`, { cwd: project.root, env: project.env, encoding: 'utf8' });
      tmux(`new-session -d -x 80 -y 24 'dev-cli; echo left; sleep 9'`);
      try {
        for (let tries = 0; tries < 100 && !tmux('capture-pane -p').includes('? keys'); tries += 1) await pause(100);
        expect(tmux('capture-pane -p')).toMatch(/Waiting for you\n› ● run-1/);
        tmux('send-keys q');
        for (let tries = 0; tries < 50 && !tmux('capture-pane -p').includes('left'); tries += 1) await pause(100);
        expect(tmux('capture-pane -p')).toMatch(/^left\n/);
      } finally {
        tmux('kill-server');
      }
    });
  },
);
