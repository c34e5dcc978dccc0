import { describe, expect, it } from 'vitest';
import { ENGINE, YES } from './engine-fixture.js';
import { loadDemo, told } from './library-fixture.js';

/** A recipe with one fault; `«` marks where it must be reported. */
interface Planted {
  rule: string;
  text: string;
  says: string;
  severity?: 'error' | 'warning';
  files?: Record<string, string>;
}

const policies = (text: string) => `${ENGINE}config:\n  policies: { ${text} }\n`;
const handlers = (...lines: string[]) => `${ENGINE}handlers:\n  ${lines.join('\n  ')}\n`;
const one = (fields: string) => handlers(`a: { ${fields} }`);

const PLANTED: Planted[] = [
  // The recipe
  { rule: 'another block', text: `${ENGINE}block: «engine\n`, says: '`block` must be `execution-engine`' },
  { rule: 'unknown key', text: `${ENGINE}«handler: {}\n`, says: 'did you mean `handlers`?' },
  { rule: 'blocks', text: `${ENGINE}«blocks: []\n`, says: 'Unknown key `blocks`' },
  { rule: 'unknown depth', text: `${ENGINE}config: { depth: «quik }\n`, says: 'Did you mean `quick`?' },
  {
    rule: 'two depths',
    text: `${ENGINE}mode: { depth: standard }\nconfig: { depth: «quick }\n`,
    says: '`config.depth` is quick, but `mode.depth` is standard',
  },
  // config.handlers
  {
    rule: 'fixed handler switched',
    text: `${ENGINE}config:\n  handlers: { worker: «nonsense }\n`,
    says: '`worker` must be `worker`, not `nonsense`',
  },
  {
    rule: 'unknown shipped handler',
    text: `${ENGINE}config:\n  handlers: { «wrapup: wrap-up }\n`,
    says: 'did you mean `wrap_up`?',
  },
  // Policies
  { rule: 'unknown policy', text: policies('«max_retrys: 1'), says: 'did you mean `max_retries`?' },
  { rule: 'limit too low', text: policies('parallel_limit: «0'), says: 'must be at least 1' },
  { rule: 'limit too high', text: policies('max_retries: «21'), says: 'must be at most 20' },
  { rule: 'limit that is no number', text: policies('max_fix_rounds: «two'), says: 'a whole number' },
  { rule: 'switch that is none', text: policies('verify_enabled: «nope'), says: 'must be true or false' },
  { rule: 'unknown disposition', text: policies('triage_precedence: [halt, adapt, «retri]'), says: 'mean `retry`?' },
  { rule: 'disposition twice', text: policies('triage_precedence: «[halt, halt, retry]'), says: 'each of halt, adapt' },
  { rule: 'disposition left out', text: policies('triage_precedence: «[halt, retry]'), says: 'this is halt, retry' },
  // Statements without effect
  {
    rule: 'shipped handler left out',
    text: `${ENGINE}config:\n  «handlers: { worker: worker, state_begin: state-begin, wrap_up: wrap-up, commit: commit, residual_commit: residual-commit, state_complete: state-complete, report: report, verify: verify }\n`,
    says: '`handlers` does not list `code_review`, `final_verify`, but they run anyway. Add them, or switch off those that can be: `code_review_enabled: false`, `final_verify_enabled: false`.',
    severity: 'warning',
  },
  {
    rule: 'assertions for a review that there is not',
    text: policies('code_review_enabled: false, «assertions_at: review'),
    says: '`assertions_at` has no effect: there is no code review',
    severity: 'warning',
  },
  {
    rule: 'todos added that cannot be',
    text: policies('adapt_depth_limit: 0, «max_dynamic_todos: 2'),
    says: '`max_dynamic_todos` has no effect',
    severity: 'warning',
  },
  {
    rule: 'rounds of fixes of nothing',
    text: policies('code_review_enabled: false, final_verify_enabled: false, «max_fix_rounds: 2'),
    says: '`max_fix_rounds` has no effect',
    severity: 'warning',
  },
  {
    rule: 'a person in autopilot',
    text: `${ENGINE}mode: { interaction: autopilot }\nhandlers:\n  «a: ${YES}\n`,
    says: 'the run will wait there',
    severity: 'warning',
  },
  {
    rule: 'cleanup',
    text: `${ENGINE}«cleanup: [a.tmp]\n`,
    says: 'no block runs `dev-cli cleanup`',
    severity: 'warning',
  },
  // Own handlers
  { rule: 'unknown actor', text: one('actor: «robot'), says: '`actor` must be one of cli, subagent, human' },
  { rule: 'no actor', text: handlers('«a: { message: m }'), says: '`actor` is missing' },
  { rule: 'misspelt actor', text: one('«actr: human, message: m'), says: 'did you mean `actor`?' },
  { rule: 'no agent', text: handlers('«a: { actor: subagent }'), says: '`agent` is missing' },
  { rule: 'no command', text: handlers('«a: { actor: cli }'), says: '`command` is missing' },
  { rule: 'no message', text: handlers('«a: { actor: human }'), says: '`message` is missing' },
  { rule: 'key of another actor', text: one('actor: human, message: m, «command: ls'), says: 'Unknown key `command`' },
  { rule: 'unknown agent', text: one('actor: subagent, agent: «verifyer'), says: 'Did you mean `verifier`?' },
  {
    rule: 'agent that cannot write',
    text: one('actor: subagent, agent: «mute'),
    says: 'no tool to write its output with',
    files: { '.dev/agents/mute.md': '---\nname: mute\ntools: Read\n---\nYou look.\n' },
  },
  {
    rule: 'no prompt file',
    text: one('actor: subagent, agent: verifier, promptFile: «nope.md'),
    says: 'no file `nope.md` beside the recipe',
  },
  { rule: 'own command of dev-cli', text: one('actor: cli, command: «dev-cli cleanup'), says: 'an external command' },
  {
    rule: 'process of dev-cli',
    text: one('actor: cli, command: «dev-cli pull-request open'),
    says: 'an external command',
  },
  {
    rule: 'shell syntax',
    text: one('actor: cli, command: ls «| wc'),
    says: 'If the character is meant literally, quote it',
  },
  { rule: 'unknown placeholder', text: one('actor: human, message: "Is «{nam} done?"'), says: 'did you mean {name}?' },
  { rule: 'camel case', text: handlers(`«securityScan: ${YES}`), says: 'in small letters, with "_" between words' },
  { rule: 'shipped key', text: handlers(`«wrap_up: ${YES}`), says: 'that is a handler that dev-cli ships' },
  { rule: 'word of the state', text: handlers(`«done: ${YES}`), says: 'is a status of a todo' },
  // Order
  { rule: 'after nothing', text: one('actor: human, message: m, after: «verfy'), says: 'Did you mean `verify`?' },
  { rule: 'after a fixed one', text: one('actor: human, message: m, after: «commit'), says: 'Possible here: worker' },
  {
    rule: 'after a property',
    text: one('actor: human, message: m, after: «constructor'),
    says: 'no stage `constructor`',
  },
  { rule: 'after itself', text: one('actor: human, message: m, after: «a'), says: '`a` cannot come after itself' },
  {
    rule: 'in a circle',
    text: handlers('x: { actor: human, message: m, after: y }', 'y: { actor: human, message: m, after: x }').replace(
      'after: y',
      'after: «y',
    ),
    says: 'x after y after x',
  },
  // Conditions
  { rule: 'undeclared name', text: one('actor: human, message: m, when: «todos.risk'), says: 'did you mean todo' },
  { rule: 'undeclared field', text: one('actor: human, message: m, when: «todo.rsk == "x"'), says: 'mean risk' },
  {
    rule: 'ordered risk',
    text: one('actor: human, message: m, when: «todo.risk >= "medium"'),
    says: 'todo.risk is one of low, medium, high; `>=` would compare them alphabetically',
  },
  { rule: 'impossible risk', text: one('actor: human, message: m, when: «todo.risk == "hihg"'), says: 'mean high' },
  {
    rule: 'impossible type',
    text: one(`actor: human, message: m, when: «'todo.type in ["work", "tst"]'`),
    says: '"tst"',
  },
  { rule: 'no truth', text: one('actor: human, message: m, when: «todo.id'), says: 'of type string' },
];

describe('lint of engine recipes', () => {
  it.each(PLANTED)('$rule', ({ text, says, severity = 'error', files }) => {
    const before = text.slice(0, text.indexOf('«')).split('\n');
    const { captured, problems } = loadDemo(text.replace('«', ''), files);
    expect(problems.map(({ message, fix }) => `${message} ${fix ?? ''}`).join('\n')).toContain(says);
    expect(problems.map(({ severity, line, column }) => ({ severity, line, column }))).toEqual([
      { severity, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    ]);
    expect(captured === null).toBe(severity === 'error');
  });

  it('tells everything at once', () => {
    const text = `${policies('max_retries: 99, triage_precedence: [halt]')}handlers:\n  a: { actor: cli }\n  b: { actor: human, message: "{nam}", after: c }\n`;
    expect(told(loadDemo(text))).toEqual([
      '4:28 error `max_retries` must be at most 20.',
      '4:51 error `triage_precedence` names each of halt, adapt, retry once; this is halt.',
      '6:3 error `command` is missing.',
      '7:32 error Unknown placeholder {nam}; did you mean {name}?',
      '7:47 error There is no stage `c` that this handler could follow.',
    ]);
  });

  it('tells what else is wrong with a handler that stands nowhere, and no more', () => {
    const lost = 'actor: subagent, agent: verifier, after: b';
    expect(told(loadDemo(one(`${lost}, promptFile: nope.md, when: todo.rsk == "x"`)))).toEqual([
      '4:49 error There is no stage `b` that this handler could follow.',
      '4:64 error There is no file `nope.md` beside the recipe.',
      '4:79 error The condition uses rsk, which is not declared (did you mean risk?).',
    ]);
    expect(told(loadDemo(one(lost)))).toEqual(['4:49 error There is no stage `b` that this handler could follow.']);
  });

  it('does not blame a handler for following one that is broken', () => {
    expect(told(loadDemo(handlers('a: { actor: cli }', 'b: { actor: human, message: m, after: a }')))).toEqual([
      '4:3 error `command` is missing.',
    ]);
  });

  it('finds no todo in the conditions of a sequential recipe', () => {
    const text =
      'name: demo\ntype: sequential\nblocks: [{ id: a, type: llm, instruction: x, when: todo.risk == "high" }]\n';
    expect(told(loadDemo(text))).toEqual([
      expect.stringContaining('error The condition uses todo, which is not declared'),
    ]);
  });

  it('looks at a role of the project that takes the place of a shipped one', () => {
    const files = { '.dev/agents/worker.md': '---\nname: worker\ntools: Read\n---\nYou look.\n' };
    expect(told(loadDemo(ENGINE, files))).toEqual([expect.stringContaining('no tool to write its output with')]);
  });
});
