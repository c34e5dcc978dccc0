import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HarnessId } from '../../../src/generated/harnesses.js';
import { devCli, nextOf, stateOf } from '../../support/cli.js';
import { generatePlan, RUN } from '../../support/executing.js';
import { createProject, type Project } from '../../support/project.mjs';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import {
  AGENTS_BLOCK,
  deliver,
  END_BLOCK,
  LOOP_BLOCK,
  PLAIN_BLOCK,
  PLAN_BLOCK,
  startTiny,
} from '../../support/tiny.js';

let made: Project;
beforeEach(() => {
  made = createProject();
});
afterEach(() => made.remove());
const project = () => made;

/** A plan without commands for dev-cli to run, so that no approval is asked for. */
const UNCHECKED = {
  ...smallPlan(),
  todos: [bareTodo('todo-1', { acceptance: [{ id: 'ac-1', kind: 'assertion', text: 'It is so.' }] })],
};

/** For each harness, the environment that marks its calls, and words that only its own instructions contain. */
const HARNESSES = {
  claude: { env: { CLAUDECODE: '1' }, agents: 'run_in_background false', asks: 'AskUserQuestion' },
  codex: { env: { CODEX_THREAD_ID: 't' }, agents: 'At most six live at once', asks: 'request_user_input' },
  gemini: { env: { GEMINI_CLI: '1' }, agents: 'Call the agent', asks: 'ask_user' },
  other: { env: {}, agents: 'A subagent each', asks: 'your question tool' },
} as const satisfies Record<HarnessId | 'other', { env: NodeJS.ProcessEnv; agents: string; asks: string }>;
type Name = keyof typeof HARNESSES;
const NAMES = Object.keys(HARNESSES) as Name[];

const howFor = (name: Name, words = ['next']) => {
  const { json } = devCli(project(), words, { env: HARNESSES[name].env });
  return String(json['how'] ?? '');
};

/** Expects that `how` contains this harness's words and no other's, and that it is short. */
function expectOwnWords(name: Name, kind: 'agents' | 'asks') {
  const how = howFor(name);
  for (const other of NAMES) expect(how.includes(HARNESSES[other][kind]), `${name}: ${how}`).toBe(other === name);
  expect(how.length).toBeLessThanOrEqual(320);
}

describe('an action says how it is done in the harness that calls (protocol.md, Fields)', () => {
  it.each(NAMES)('agents, for %s', (name) => {
    startTiny(project(), [AGENTS_BLOCK, END_BLOCK]);
    expectOwnWords(name, 'agents');
    expect(howFor(name)).toMatch(/`dev-cli-<type>`.*`<type>`.*`tell`/);
  });

  it.each(NAMES)('a question to the user, for %s', (name) => {
    startTiny(project(), [LOOP_BLOCK, END_BLOCK]);
    expectOwnWords(name, 'asks');
    expect(howFor(name)).toContain('`## <id>`');
  });

  it.each(NAMES)('tasks of an execution, also those that are out, for %s', (name) => {
    generatePlan(project(), UNCHECKED);
    const begun = nextOf(devCli(project(), ['init', RUN, '--execute']).json);
    expect(begun).not.toHaveProperty('running');
    expectOwnWords(name, 'agents');
    expect(howFor(name)).not.toContain('`running`');
  });

  it('is told in the manifest too, but neither stored nor told to people', () => {
    startTiny(project(), [AGENTS_BLOCK, END_BLOCK]);
    const { env } = HARNESSES.codex;
    expect(devCli(project(), ['manifest'], { env }).stdout).toContain(HARNESSES.codex.agents);
    expect(devCli(project(), ['next', '--text'], { env }).stdout).not.toContain(HARNESSES.codex.agents);
    expect(JSON.stringify(stateOf(project(), 'run-1'))).not.toContain('dev-cli-<type>');
  });

  it('the name that DEV_CLI_HARNESS tells counts before a mark; any other name is none', () => {
    startTiny(project(), [AGENTS_BLOCK, END_BLOCK]);
    const told = (DEV_CLI_HARNESS: string, more = {}) =>
      String(devCli(project(), ['next'], { env: { DEV_CLI_HARNESS, ...more } }).json['how']);
    expect(told('codex', { CLAUDECODE: '1' })).toContain(HARNESSES.codex.agents);
    expect(told('constructor')).toContain(HARNESSES.other.agents);
  });

  it('the form of data, and nothing where all is plain', () => {
    startTiny(project(), [PLAN_BLOCK, END_BLOCK]);
    expect(howFor('other')).toContain('one JSON document');
    startTiny(project(), [PLAIN_BLOCK, END_BLOCK], '', 'run-2');
    expect(howFor('other', ['next', 'run-2'])).toBe('');
  });
});

describe('what a refusal needs stands in its fix (protocol.md, Errors)', () => {
  it('agents that are acknowledged at once are waited for, not started again', () => {
    const action = startTiny(project(), [AGENTS_BLOCK, END_BLOCK]);
    const { code, json } = devCli(project(), ['step', 'complete', 'run-1', '--action', action.actionId]);
    expect([code, json.error?.code]).toEqual([3, 'EVIDENCE_MISSING']);
    expect(json.error?.fix).toMatch(
      /^An agent that is still at work: wait for it, in the background by ending your turn\./,
    );
    deliver(project(), action);
    expect(devCli(project(), ['step', 'complete', 'run-1', '--action', action.actionId]).code).toBe(0);
  });

  it('tasks, too', () => {
    generatePlan(project(), UNCHECKED);
    const { actionId } = nextOf(devCli(project(), ['init', RUN, '--execute']).json);
    const { json } = devCli(project(), ['step', 'complete', RUN, '--action', actionId, '--collect']);
    expect(json.error?.fix).toContain('end your turn if they run in the background');
  });

  it('a run in the way: the user is asked', () => {
    startTiny(project(), [AGENTS_BLOCK, END_BLOCK]);
    const other = devCli(project(), ['init', 'run-1', '--quick', '--goal', 'Something else']);
    expect([other.code, other.json.error?.code]).toEqual([4, 'RUN_EXISTS']);
    expect(other.json.error?.fix).toMatch(
      /^To continue it: dev-cli next run-1\. If the user wants it gone: dev-cli abort run-1 --reason WHY$/,
    );
  });

  it('another goal under a name that is taken', () => {
    devCli(project(), ['init', 'one', '--goal', 'Add a route']);
    const { warnings } = devCli(project(), ['init', 'one', '--goal', 'Mend the login']).json;
    expect(warnings?.join()).toContain('use another name for other work');
  });
});
