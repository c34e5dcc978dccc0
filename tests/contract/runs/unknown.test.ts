import { describe, expect, it } from 'vitest';
import { devCli, init, nextOf, runPrinted, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { acknowledge, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// Names that do not exist: a command, a recipe, a run, a preference.

useProject();

it.each([[['resume', 'run-1']], [['plan', 'run-1']], [['plan']], [['plan', 'valdate']]])(
  '%j is no command, and names the help',
  (words) => {
    const refused = devCli(project, words);
    expect([refused.code, refused.json.error?.code]).toEqual([2, 'UNKNOWN_COMMAND']);
    const [group] = words;
    expect(refused.json.error?.fix).toBe(group === 'plan' ? 'dev-cli help plan' : 'dev-cli help');
  },
);

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
      '.dev/preferences.yaml:2:1: no recipe has a preference "externl_research"; it has no effect. Did you mean "external_research"?',
      expect.stringMatching(
        /^\.dev\/preferences\.yaml:3:1: no recipe has a preference ".?\[?.*red"; it has no effect\.$/,
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

it.each([
  ['status', 'cache'],
  ['next', 'cache'],
  ['use', 'cache'],
  ['nexus', 'report', 'cache'],
])('a plan without a run is told to be carried out: %s %s', (...words) => {
  for (const file of ['plan-content.json', 'PLAN.md']) writeProjectFile(project, `.dev/specs/cache/${file}`, '{}');
  const { json } = devCli(project, words[0] === 'status' ? [...words, '--json'] : words);
  expect(json.error).toMatchObject({
    code: 'NO_SUCH_RUN',
    message: '"cache" has a plan, but no run yet.',
    fix: 'Carry it out: dev-cli init cache --execute',
  });
});
