import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESERVED_WORDS } from '../../../src/registry/find.js';
import { parseCommand } from '../../../src/registry/parse.js';
import { splitCommand } from '../../../src/registry/split.js';
import { COMMON_VERBS } from '../../../src/registry/tried-verbs.js';
import { devCli, init, nextOf, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// What people and agents try, from what other tools call these things: answered with what it is here.

let project: Project;
beforeEach(() => {
  project = createProject();
});
afterEach(() => project.remove());

/** The command in a fix, alone or behind an instruction. */
function commandIn(fix: string | undefined): string {
  return /(?:^|: )(dev-cli .*)$/.exec(fix ?? '')?.[1] ?? '';
}

describe('a verb that does not exist', () => {
  it.each(Object.keys(COMMON_VERBS))('%s: is no command, and the one to run instead runs', (verb) => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const tried = devCli(project, [verb, 'run-1']);
    expect([tried.code, tried.json.error?.code], tried.stdout).toEqual([2, 'UNKNOWN_COMMAND']);
    expect(tried.json.error?.message).toMatch(/^There is no command "[a-z]+"\. .+\.$/);
    const command = commandIn(tried.json.error?.fix);
    expect(command).not.toBe('');
    expect(command).not.toMatch(/abort|approve|trust/);
    const ran = runPrinted(project, command);
    // `execute` of a run that is being planned says how it stands; everything else is answered at once.
    if (/--execute/.test(command)) expect(ran.json.error?.code).toBe('RUN_EXISTS');
    else expect(ran.code, `${command}: ${ran.stdout}`).toBe(0);
    expect(stateOf(project, 'run-1')).toMatchObject({ status: 'live', pendingAction: { action: { actionId: 'a1' } } });
  });

  it('is answered without a run and without a name too', () => {
    for (const verb of Object.keys(COMMON_VERBS)) {
      const tried = devCli(project, [verb]);
      const command = commandIn(tried.json.error?.fix);
      expect(() => parseCommand(splitCommand(command)), command).not.toThrow();
    }
    expect(devCli(project, ['run']).json.error?.fix).toBe(
      "Give the run a name: dev-cli init NAME --goal 'what you want'",
    );
  });

  it('carries a name on only when it is one', () => {
    expect(devCli(project, ['resume', '../x']).json.error?.fix).toBe('dev-cli next');
    expect(devCli(project, ['logs', '--follow']).json.error?.fix).toBe('dev-cli history');
  });

  it('takes no word that is reserved', () => {
    expect(Object.keys(COMMON_VERBS).filter((verb) => RESERVED_WORDS.includes(verb))).toEqual([]);
  });

  it.each([
    [['plan', 'run-1'], 'dev-cli plan summary run-1'],
    [['draft', 'run-1'], 'dev-cli draft show run-1'],
    [['recipe', 'execute-standard'], 'dev-cli recipe show execute-standard'],
    [['plan'], 'dev-cli help plan'],
    [['plan', 'valdate'], 'dev-cli help plan'],
  ])('%j names what shows it', (args, fix) => {
    expect(devCli(project, args).json.error?.fix).toBe(fix);
  });
});

describe('the beginning of a name', () => {
  it('names the recipes that begin with it', () => {
    const message = (recipe: string) =>
      devCli(project, ['init', 'x', '--recipe', recipe, '--goal', 'g']).json.error?.message;
    expect(message('specify')).toBe(
      'There is no recipe "specify". Did you mean "specify-quick-autopilot", "specify-quick-interactive", "specify-standard-autopilot" or "specify-standard-interactive"?',
    );
    expect(message('execute-st')).toContain('Did you mean "execute-standard"?');
    expect(message('spcify-quick-autopilot')).toContain('Did you mean "specify-quick-autopilot"?');
    expect(message('__proto__')).not.toContain('Did you mean');
  });

  it.each([
    ['next'],
    ['status'],
    ['manifest'],
    ['history'],
    ['abort', '--reason', 'x'],
    ['step', 'complete', '--action', 'a1'],
  ])('names the runs that begin with it: %s', (...command) => {
    startTiny(project, [PLAIN_BLOCK], '', 'add-jwt-auth');
    const at = command[0] === 'step' ? 2 : 1;
    const words = [
      ...command.slice(0, at),
      'add-jw',
      ...command.slice(at),
      ...(command[0] === 'next' ? [] : ['--json']),
    ];
    expect(devCli(project, words).json.error).toMatchObject({
      code: 'NO_SUCH_RUN',
      message: 'There is no run named "add-jw". Did you mean "add-jwt-auth"?',
      fix: 'dev-cli list',
    });
  });

  it('names the commands that begin with it', () => {
    expect(devCli(project, ['man']).json.error?.message).toContain('Did you mean "manifest"?');
    expect(devCli(project, ['step', 'comp']).json.error?.message).toContain('Did you mean "step complete"?');
  });
});

describe('a run that has ended', () => {
  it('is answered with a command that runs and says what came of it', () => {
    const action = startTiny(project, [PLAIN_BLOCK]);
    expect(nextOf(acknowledge(project, action).json)).toMatchObject({ outcome: 'completed' });
    const refusals = [
      ['step', 'invalidate', 'run-1', '--step', 'think'],
      ['abort', 'run-1', '--reason', 'late'],
      ['use', 'run-1'],
    ];
    for (const line of refusals) {
      const refused = devCli(project, line);
      expect([refused.code, refused.json.error?.code], line.join(' ')).toEqual([4, 'RUN_ENDED']);
      expect(runPrinted(project, refused.json.error?.fix ?? '').code).toBe(0);
    }
  });
});

describe('.dev/preferences.yaml', () => {
  const warnings = (...flags: string[]) => init(project, 'run-1', '--goal', 'Add auth', ...flags).warnings ?? [];

  it('has the keys named that nothing reads, each at its place', () => {
    writeProjectFile(
      project,
      '.dev/preferences.yaml',
      'pull_request: false\nexternl_research: true\n"\\u001b[31mred": 1\n__proto__: { x: 1 }\n',
    );
    expect(warnings('--quick', '--autopilot')).toEqual([
      '.dev/preferences.yaml:2:1: no recipe has a preference "externl_research"; it changes nothing. Did you mean "external_research"?',
      expect.stringMatching(
        /^\.dev\/preferences\.yaml:3:1: no recipe has a preference ".?\[?.*red"; it changes nothing\.$/,
      ),
      expect.stringMatching(/^\.dev\/preferences\.yaml:4:1: no recipe has a preference "__proto__"/),
    ]);
  });

  it('may hold what another recipe declares', () => {
    writeProjectFile(
      project,
      '.dev/recipes/other.yaml',
      'name: other\ntype: sequential\npreferences: { tone: { type: string, description: How it sounds. } }\nblocks:\n  - { id: a, type: llm, instruction: x }\n',
    );
    writeProjectFile(project, '.dev/preferences.yaml', 'tone: dry\n');
    expect(warnings('--recipe', 'ultrawork', '--set', 'pull_request=false')).toEqual([]);
  });

  it('still refuses a value of the wrong type', () => {
    writeProjectFile(project, '.dev/preferences.yaml', 'external_research: perhaps\nnobody: 1\n');
    const refused = devCli(project, ['init', 'run-1', '--goal', 'g']);
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'PREFERENCES_INVALID']);
  });
});
