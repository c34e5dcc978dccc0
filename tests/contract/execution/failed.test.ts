import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { type Document, devCli, nextOf, runPrinted, stateOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, choose, deliver, END_BLOCK, PLAIN_BLOCK, tiny } from '../../support/tiny.js';

// If a command fails, the agent or person concerned learns why it failed and where its log is (protocol.md §4;
// recipes.md, Loops).

useProject();

const terminal = findTerminal();
const skipped = terminal === null;
const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

/** An inline script of several lines, as in recipes. */
const SCRIPT = `    command:
      - node
      - -e
      - |
        const { existsSync } = require('node:fs');
        console.log('first');
        console.log('\\x1b[31mcolour\\x1b[0m, and token=abcdef123456ghi');
        console.error('  No patch-level   upgrade.\\n\\n');
        process.exit(existsSync('green') ? 0 : 3);
`;
const command = (id: string, more = '') => `\n  - id: ${id}\n    type: cli\n${SCRIPT}${more}`;

function start(blocks: string[]): Action {
  const recipe = tiny(project, 'tiny', blocks, 'guard: { sources: free }\n');
  const result = terminal?.(`dev-cli trust ${recipe}`, { cwd: project.root, env: project.env, answers: ['y'] });
  expect(result?.exit, result?.output).toBe(0);
  return nextOf(devCli(project, ['init', 'run-1', '--recipe', recipe, '--goal', 'Mend it']).json);
}

/** Polls until the pending action is no longer `running`. */
function settle(first: Document): Document {
  let answer = first;
  while (nextOf(answer).action === 'running') {
    const polled = runPrinted(project, nextOf(answer).poll ?? '').json;
    answer = polled.next === undefined ? { ...polled, next: polled as unknown as Action } : polled;
  }
  return answer;
}
const go = (action: Action) => settle(acknowledge(project, action).json);
const text = (path: string) => readFileSync(join(project.root, path), 'utf8');

const SAID = '"colour, and token=[masked]" "No patch-level upgrade."';
const LOG = '.dev/specs/run-1/actions/a2/command.log';

describe.skipIf(skipped)(`a command that halts the run${suffix}`, () => {
  it('says on one line what it printed last, and where its log is', () => {
    const answer = go(start([PLAIN_BLOCK, command('listed'), END_BLOCK]));
    const done = nextOf(answer) as Action & { summary: string; failed: { id: string; reason: string }[] };
    const why = `: exit 3, ${SAID}; log ${LOG}`;
    expect(done.summary).toMatch(/^halted at listed: node -e "const \{ existsSync \}.*…: exit 3, /);
    for (const told of [done.summary, done.failed[0]?.reason]) {
      expect(told).toContain(why);
      expect(told).not.toContain('\n');
    }
    expect(text(LOG)).toContain('first');
    const [ran] = answer.ran as { summary: string }[];
    expect(ran?.summary).toMatch(/^node -e .{0,80}: exit 3, /);
    expect(ran?.summary).toContain(SAID);
  });

  it('does so in status and manifest, and history names it on one line', () => {
    go(start([PLAIN_BLOCK, command('listed'), END_BLOCK]));
    const status = devCli(project, ['status', 'run-1']).stdout.split('\n');
    const now = status.find((line) => line.startsWith('now '));
    expect(now).toContain(SAID);
    expect(now).toContain(LOG);
    expect(status.find((line) => line.startsWith('✗ listed'))).toContain('No patch-level upgrade.');
    expect(devCli(project, ['manifest', 'run-1']).stdout).toContain(SAID);
    const history = devCli(project, ['history', 'run-1']).stdout.split('\n');
    expect(history.find((line) => line.includes('command.log'))).toMatch(
      /^ +node -e "const \{ existsSync \} = .*exit 3/,
    );
  });

  it('is shown on one line while it runs', () => {
    const slow = `\n  - id: slow\n    type: cli\n    command: [node, -e, "setTimeout(() => {},\\n\\n  30000)"]\n`;
    const action = start([PLAIN_BLOCK, slow, END_BLOCK]);
    const answer = runPrinted(project, `${action.ack} --text`, { env: { DEV_CLI_ANSWER_WITHIN: '0' } });
    expect(answer.stdout).toContain('  node -e "setTimeout(() => {}, 30000)"  (log ');
    expect(devCli(project, ['abort', 'run-1', '--reason', 'seen']).code).toBe(0);
  });

  it('as the exit check of a loop says why, too', () => {
    const loop = `\n  - id: mend\n    type: llm-loop\n    instruction: Mend it.\n    maxRounds: 1\n${SCRIPT.replace('command:', 'exitCheck:')}`;
    const done = nextOf(go(start([loop, END_BLOCK]))) as Action & { summary: string };
    expect(done.summary).toContain(`: exit 3, ${SAID}; log ${LOG}`);
  });

  it('goes on without a word of that once it passes', () => {
    const action = start([PLAIN_BLOCK, command('listed'), END_BLOCK]);
    writeFileSync(join(project.root, 'green'), '');
    const answer = go(action);
    expect(nextOf(answer).block).toBe('last');
    expect((answer.ran as { summary: string }[])[0]?.summary).toMatch(/: exit 0$/);
  });
});

/** A gate that asks if the previous command failed: continue as it is, or try again. */
const STUCK = `
  - id: stuck
    type: wait-for-user
    when: 'blocks["listed"].exit != 0'
    message: It is still red.
    choices:
      - { id: as-is, label: go on although red, goto: next, reason: required }
      - { id: more, label: try again, goto: think }
`;
const ONCE = '    revise: think\n    maxRounds: 1\n    onError: continue\n';
const makeGreen = () => writeFileSync(join(project.root, 'green'), '');
const RED_LOG = { read: [LOG] };

describe.skipIf(skipped)(`a warning about a block${suffix}`, () => {
  it('goes when the block is done again, and the run says nothing of it in the end', () => {
    const gate = nextOf(go(start([PLAIN_BLOCK, command('listed', ONCE), STUCK, END_BLOCK])));
    expect(devCli(project, ['status', 'run-1']).stdout).toContain('!      listed did not pass within 1 round');
    const again = nextOf(choose(project, gate, 'more').json);
    makeGreen();
    const last = nextOf(go(again));
    expect(last.block).toBe('last');
    const done = acknowledge(project, last).json.next as unknown as Document;
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(done.warnings).toBeUndefined();
    expect(String(done['instruction'])).not.toContain('warnings');
    expect(devCli(project, ['status', 'run-1']).stdout).not.toContain('did not pass');
  });

  it('stays, once, when it ends so again', () => {
    const gate = nextOf(go(start([PLAIN_BLOCK, command('listed', ONCE), STUCK, END_BLOCK])));
    const twice = nextOf(go(nextOf(choose(project, gate, 'more').json)));
    writeFileSync(join(project.root, 'why.md'), 'It is known.');
    const taken = devCli(project, [
      'step',
      'complete',
      'run-1',
      '--action',
      twice.actionId,
      '--choice',
      'as-is',
      '--note',
      '@why.md',
    ]);
    const done = acknowledge(project, nextOf(taken.json)).json.next as unknown as Document;
    expect(done.warnings).toHaveLength(1);
    expect(done.warnings?.[0]).toContain('listed did not pass within 1 round');
  });
});

describe.skipIf(skipped)(`what failed behind a block that is done again${suffix}`, () => {
  it('stands in its read when a choice leads back', () => {
    const gate = nextOf(go(start([PLAIN_BLOCK, command('listed', ONCE), STUCK, END_BLOCK])));
    expect(gate).toMatchObject({ block: 'stuck', ...RED_LOG });
    const again = nextOf(choose(project, gate, 'more').json);
    expect(again).toMatchObject({ block: 'think', ...RED_LOG });
    makeGreen();
    expect(nextOf(go(again)).read).toBeUndefined();
  });

  it('stands there after an invalidate, beside the ruling', () => {
    go(start([PLAIN_BLOCK, command('listed', '    revise: think\n    maxRounds: 1\n'), END_BLOCK]));
    const again = devCli(project, ['step', 'invalidate', 'run-1', '--step', 'think', '--note', 'Try harder.']);
    expect(nextOf(again.json).read).toEqual([expect.stringContaining('ruled.md'), LOG]);
  });

  const REVIEW = `
  - id: review
    type: subagent-loop
    agents: [{ type: plan-reviewer, prompt: Judge it., output: 'reviews/{round}.md' }]
    exitWhen: 'agents["plan-reviewer"].verdict == "OKAY"'
    revise: think
`;
  const REVIEWED = '.dev/specs/run-1/reviews/1.md';
  const judge = (action: Action, verdict: string) => {
    deliver(project, action, undefined, { rejectFirstReview: verdict === 'REJECT' });
    return go(action);
  };

  it('is a rejected review, too, for as long as no later one accepts', () => {
    const first = start([PLAIN_BLOCK, command('listed', '    revise: think\n'), REVIEW, END_BLOCK]);
    makeGreen();
    const rejected = nextOf(judge(nextOf(go(first)), 'REJECT'));
    expect(rejected).toMatchObject({ block: 'think', read: [REVIEWED] });
    rmSync(join(project.root, 'green'));
    const red = nextOf(go(rejected));
    expect(red.block).toBe('think');
    expect(red.read).toEqual([expect.stringMatching(/actions\/a\d\/command\.log$/), REVIEWED]);
    makeGreen();
    const second = nextOf(go(red));
    expect(second).toMatchObject({ block: 'review', round: 2 });
    expect(second.read).toBeUndefined();
    expect(nextOf(judge(second, 'OKAY')).block).toBe('last');
    const later = nextOf(devCli(project, ['step', 'invalidate', 'run-1', '--step', 'think']).json);
    expect(later.read).toBeUndefined();
  });

  it('is the log of an exit check when the user takes more rounds', () => {
    const asking = `\n  - id: mend\n    type: llm-loop\n    instruction: Mend it.\n    asks: user\n    save: dev-cli draft update {name}\n    sections: [boundaries]\n    maxRounds: 1\n${SCRIPT.replace('command:', 'exitCheck:')}`;
    const write = (action: Action) =>
      writeFileSync(join(project.root, action.data?.write ?? ''), '## boundaries\n\nNone.\n');
    const first = start([asking, END_BLOCK]);
    write(first);
    const filled = nextOf(go(first));
    write(filled);
    const gate = nextOf(go(filled));
    expect(gate).toMatchObject({ action: 'wait-for-user', read: [expect.stringContaining('a4/command.log')] });
    expect(nextOf(choose(project, gate, 'more').json).read).toEqual(gate.read);
  });
});

describe.skipIf(skipped)(`the gate behind a red command${suffix}`, () => {
  const approve = (answers: string[]) =>
    terminal?.('dev-cli approve run-1', { cwd: project.root, env: project.env, answers })?.output ?? '';

  it('shows a person what is red, its last lines and its log, and which choice requires a reason', () => {
    go(start([PLAIN_BLOCK, command('listed', ONCE), STUCK, END_BLOCK]));
    const shown = approve(['l', '']);
    expect(shown).toContain('Red: listed');
    expect(shown).toContain('exit 3');
    expect(shown).toMatch(/colour, and token=\[masked\]\n.*No patch-level +upgrade\./);
    expect(shown).toContain(LOG);
    expect(shown).toMatch(/1 {2}as-is: go on although red \(requires a reason\)/);
    expect(shown).toMatch(/2 {2}more: try again\n/);
    expect(shown).toContain('l: the last log');
    expect(shown).toContain('\nfirst\n');
  });

  it('shows nothing of that once it is green', () => {
    const ask = STUCK.replace(/ +when: .*\n/, '');
    const first = start([PLAIN_BLOCK, command('listed', ONCE), ask, END_BLOCK]);
    makeGreen();
    go(first);
    const shown = approve(['']);
    expect(shown).toContain('It is still red.');
    expect(shown).not.toContain('Red:');
    expect(shown).not.toContain('the last log');
    expect(stateOf(project, 'run-1').steps['listed']).not.toHaveProperty('red');
  });
});
