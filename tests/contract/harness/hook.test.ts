import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import { HOOK_EVENTS, type HookEventName } from '../../../src/wings/harness/adapter.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, init, journalOf, nextOf, stateOf, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook, leaveRun, QUIET, readRecorded, spawnHook } from '../../support/hooks.js';
import { CHECKOUT } from '../../support/project.mjs';
import { chosenSeed, seeded } from '../../support/seeded.js';

// harness.md, Hooks: the recorded payloads of each harness, and the answers to them.

useProject();

const random = seeded(chosenSeed());
/** Calls a hook: one time in four, by chance, as the binary that ships, with its small programs; else by the front door. */
const hook = (event: HookEventName, harness: HarnessId, payload: object | string, env: NodeJS.ProcessEnv = {}) =>
  (random.below(4) === 0 ? spawnHook : callHook)(project, event, harness, payload, env);

const base = (more: object = {}) => ({ session_id: 's-1', cwd: project.root, ...more });
const write = (path: string, more: object = {}) =>
  base({ tool_name: 'Write', tool_input: { file_path: join(project.root, path), content: 'x' }, ...more });
/** Starts a run that plans, outside of any session. */
const planning = () => nextOf(init(project, 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive'));
/** Starts a run that plans; the session to which it was bound has ended. */
const left = () => {
  const action = planning();
  leaveRun(project, 'add-x');
  return action;
};
const bind = (harness: HarnessId = 'claude') => hook('session-start', harness, base({ source: 'startup' }));

describe('dev-cli hook (harness.md, Hooks)', () => {
  it.each(HARNESS_IDS)('says nothing to %s where there is no run, and leaves no trace', (harness) => {
    const all = readRecorded(harness, project.root);
    expect(new Set(all.map(({ event }) => event)).size).toBe(HOOK_EVENTS.length);
    for (const { event, payload } of all) expect(hook(event, harness, payload), event).toEqual(QUIET);
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
  });

  it.each(HARNESS_IDS)(
    'blocks what %s would write outside .dev while a run plans, in the form that all take',
    (harness) => {
      planning();
      const { events, tools } = HARNESSES[harness];
      const native = events['pre-tool-use'];
      const writes = readRecorded(harness, project.root).filter(
        ({ event, payload: { tool_name: tool } }) =>
          event === 'pre-tool-use' && (tool === tools.patch || String(tool) in tools.files),
      );
      expect(writes.length).toBeGreaterThan(10);
      for (const { event, payload } of writes) {
        const { code, stdout, stderr } = hook(event, harness, payload);
        expect(code).toBe(2);
        const reason = stderr.trimEnd();
        expect(reason).toMatch(/^dev-cli: /);
        expect(JSON.parse(stdout)).toEqual({
          decision: 'block',
          reason,
          hookSpecificOutput: { hookEventName: native, permissionDecision: 'deny', permissionDecisionReason: reason },
        });
      }
    },
  );

  it.each(['', 'x', '[]', '{}', '{"session_id":"s"}'])(
    'refuses %j as a payload, which blocks a tool and nothing else',
    (text) => {
      expect(hook('pre-tool-use', 'claude', text).code).toBe(2);
    },
  );

  it.each(['', ' ', 'x', '[]', '@package.json', '-', '{}', '\ufeff{"session_id":"s-1"}', Buffer.from([0x7b, 0xff])])(
    'answers to %j as the whole program does',
    (input) => {
      const reply = (program: string) => {
        const words = [join(CHECKOUT, program), 'hook', 'stop', '--harness', 'claude'];
        const around = { cwd: project.root, env: project.env, encoding: 'utf8', input } as const;
        const { status, stdout, stderr } = spawnSync(process.execPath, words, around);
        return { status, stdout, stderr };
      };
      expect(reply('bin/dev-cli.js')).toEqual(reply('dist/cli.cjs'));
    },
  );
});

describe('sessions (harness.md, Sessions)', () => {
  it('a new session goes on with the live run that another has left, is told where it stands, and leaves it at its end', () => {
    const action = left();
    const { code, stdout } = bind();
    expect(code).toBe(0);
    const { hookSpecificOutput: told } = JSON.parse(stdout);
    expect(told.hookEventName).toBe('SessionStart');
    expect(told.additionalContext).toContain(`"actionId":"${action.actionId}"`);
    expect(told.additionalContext).toContain('run its ack exactly as printed');
    expect(told.additionalContext.length).toBeLessThan(6000);
    expect(devCli(project, ['next'], { env: { DEV_CLI_SESSION: 's-1' } }).code).toBe(0);
    expect(hook('session-end', 'claude', base())).toEqual(QUIET);
    expect(hook('session-start', 'codex', base({ source: 'compact' })).stdout).toContain('add-x');
  });

  it('Codex is told again after a compaction, as recorded', () => {
    const action = left();
    const { payload } = readRecorded('codex', project.root).find((one) => one.payload['source'] === 'compact') ?? {
      payload: {},
    };
    expect(hook('session-start', 'codex', payload).stdout).toContain(`\\"actionId\\":\\"${action.actionId}\\"`);
  });

  it('Gemini, which says nothing after a compaction, is told where the run stands with each prompt of a person', () => {
    const action = left();
    expect(bind('gemini')).toEqual(QUIET);
    for (const prompt of ['go on', 'and on']) {
      const { hookSpecificOutput: told } = JSON.parse(hook('user-prompt-submit', 'gemini', base({ prompt })).stdout);
      expect(told.hookEventName).toBe('BeforeAgent');
      expect(told.additionalContext).toContain(`"actionId":"${action.actionId}"`);
      expect(told.additionalContext.length).toBeLessThan(6000);
    }
    expect(hook('user-prompt-submit', 'gemini', base({ prompt: 'go on', session_id: 's-9' }))).toEqual(QUIET);
    expect(hook('user-prompt-submit', 'codex', base({ prompt: 'go on' }))).toEqual(QUIET);
  });

  it('one that owns nothing is not disturbed, and one beside it with a run of its own is judged by that', () => {
    left();
    bind();
    expect(hook('session-start', 'claude', base({ session_id: 's-2', source: 'startup' }))).toEqual(QUIET);
    const other = { session_id: 's-2' };
    expect(hook('pre-tool-use', 'claude', write('src/a.js', other))).toEqual(QUIET);
    expect(hook('user-prompt-submit', 'claude', base({ ...other, prompt: 'hi' }))).toEqual(QUIET);
    expect(hook('stop', 'claude', base(other))).toEqual(QUIET);
    expect(hook('pre-tool-use', 'claude', write('src/a.js')).code).toBe(2);
    // The shell of the second session starts its own run and is bound to it through its environment.
    const begun = devCli(project, ['init', 'two', '--goal', 'Other', '--recipe', 'specify-quick-interactive'], {
      env: { CLAUDE_CODE_SESSION_ID: 's-2' },
    });
    expect(begun.code, begun.stdout).toBe(0);
    const judged = hook('pre-tool-use', 'claude', write('src/a.js', other));
    expect([judged.code, judged.stderr]).toEqual([2, expect.stringContaining('"two" is planning')]);
  });

  describe('one that went on to other runs', () => {
    const env = { CLAUDE_CODE_SESSION_ID: 's-1' };
    const beside = (name: string, recipe = 'specify-quick-interactive') =>
      expect(devCli(project, ['init', name, '--goal', name, '--recipe', recipe, '--new'], { env }).code).toBe(0);
    const abort = (name: string) =>
      expect(devCli(project, ['abort', name, '--reason', 'no longer wanted'], { env }).code).toBe(0);
    const judged = () => hook('pre-tool-use', 'claude', write('src/a.js'));
    const byRun = (name: string) => ({ code: 2, stderr: expect.stringContaining(`"${name}" is planning`) });
    beforeEach(() => {
      left();
      bind();
    });

    it('is judged by the first again once those have ended, however many they were, and told where that stands', () => {
      beside('tmp');
      beside('tmp-2');
      abort('tmp');
      expect(judged()).toMatchObject(byRun('tmp-2'));
      for (let n = 3; n < 13; n += 1) {
        beside(`tmp-${n}`);
        abort(`tmp-${n}`);
      }
      abort('tmp-2');
      expect(judged()).toMatchObject(byRun('add-x'));
      expect(hook('session-start', 'claude', base({ source: 'compact' })).stdout).toContain('add-x');
      abort('add-x');
      expect(judged()).toEqual(QUIET);
    });

    it('also when it has ended between them, and another session has begun', () => {
      beside('tmp');
      hook('session-end', 'claude', base());
      const other = { session_id: 's-2' };
      bind();
      abort('tmp');
      expect(judged()).toMatchObject(byRun('add-x'));
      hook('session-end', 'claude', base());
      devCli(project, ['use', 'add-x']);
      hook('session-start', 'claude', base({ ...other, source: 'startup' }));
      expect(hook('pre-tool-use', 'claude', write('src/a.js', other))).toMatchObject(byRun('add-x'));
    });

    it('and by one that guards while the later run guards nothing', () => {
      writeRecipe(
        project,
        'free',
        'name: free\ntype: sequential\nblocks:\n  - { id: look, type: llm, instruction: Look. }\n',
      );
      beside('other', 'free');
      expect(judged()).toMatchObject(byRun('add-x'));
      expect(hook('pre-tool-use', 'claude', write('.dev/specs/add-x/state.json')).code).toBe(2);
    });
  });

  it('Gemini, whose shell knows no session, is bound by the call of init itself', () => {
    planning();
    hook('session-start', 'gemini', base({ session_id: 'g', source: 'clear' }));
    const input = { command: `dev-cli init add-x --goal - <<'GOAL'\nAdd X\nGOAL` };
    hook('post-tool-use', 'gemini', base({ session_id: 'g', tool_name: 'run_shell_command', tool_input: input }));
    expect(readFileSync(join(project.root, '.dev/sessions/g'), 'utf8')).toBe('add-x\nheard\n');
  });

  const ran = (harness: HarnessId, session: string, command: string, more: object = {}) =>
    hook(
      'post-tool-use',
      harness,
      base({
        session_id: session,
        tool_name: HARNESSES[harness].tools.shell,
        tool_input: { command },
        ...more,
      }),
    );
  const bindingOf = (session: string) =>
    readFileSync(join(project.root, '.dev/sessions', session), 'utf8').split('\n', 1)[0];

  it.each(HARNESS_IDS)('in %s, one that goes on with the run of a session that died takes it up', (harness) => {
    const { actionId } = left();
    bind(harness);
    hook('session-start', harness, base({ session_id: 's-2', source: 'startup' }));
    ran(harness, 's-2', 'dev-cli next add-x');
    ran(harness, 's-2', 'grep -rn "dev-cli step complete add-x" docs; echo dev-cli use add-x');
    ran(harness, 's-2', `cat > notes.md <<'END'\ndev-cli use add-x\nEND`);
    ran(harness, 's-2', '*** Begin Patch\n*** Add File: a\n+dev-cli use add-x\n*** End Patch', {
      tool_name: 'apply_patch',
    });
    ran(harness, 's-2', `dev-cli step complete add-x --action ${actionId}`, { agent_id: 'sub' });
    expect(bindingOf('s-2')).toBe('');
    ran(harness, 's-2', `cd . && timeout 60 dev-cli step complete add-x --action ${actionId} --choice Bug`);
    expect(bindingOf('s-2')).toBe('add-x');
    const write = { session: 's-2', directory: project.root, path: 'src/a.js', content: 'x' };
    const payload = JSON.stringify(HARNESSES[harness].buildTrial(write));
    expect(hook('pre-tool-use', harness, payload).code).toBe(2);
  });

  it('one that has a live run keeps it, whatever other run it asked for in vain', () => {
    left();
    bind();
    const second = ['init', 'two', '--goal', 'Other', '--recipe', 'specify-quick-interactive', '--new'];
    expect(devCli(project, second, { env: { CLAUDE_CODE_SESSION_ID: 's-2' } }).code).toBe(0);
    ran('claude', 's-1', 'dev-cli init two --goal Other');
    ran('claude', 's-1', 'dev-cli step complete two --action a1 --choice Bug');
    expect(bindingOf('s-1')).toBe('add-x');
    ran('claude', 's-1', 'dev-cli use two');
    expect(bindingOf('s-1')).toBe('two');
    expect(devCli(project, ['abort', 'add-x', '--reason', 'x']).code).toBe(0);
    ran('claude', 's-1', 'dev-cli use add-x');
    expect(bindingOf('s-1')).toBe('two');
  });
});

describe('a run that no session began (harness.md, Sessions)', () => {
  /** Starts a run whose next action asks to start agents. */
  const dispatched = (env: NodeJS.ProcessEnv = {}) => {
    const words = ['init', 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive', '--new'];
    const classify = nextOf(devCli(project, words, { env }).json).choices?.[0]?.ack ?? '';
    const action = nextOf(devCli(project, classify.split(' ').slice(1), { env }).json);
    expect(action.action).toBe('dispatch-subagents');
    return action;
  };

  it.each(HARNESS_IDS)('binds no session of %s: it is told nothing, and may stop', (harness) => {
    dispatched({ CI: 'true' });
    expect(bind(harness)).toEqual(QUIET);
    expect(readFileSync(join(project.root, '.dev/sessions/s-1'), 'utf8')).toBe('\n');
    expect(hook('user-prompt-submit', harness, base({ prompt: 'hello' }))).toEqual(QUIET);
    expect(hook('stop', harness, base())).toEqual(QUIET);
    for (const source of ['compact', 'resume']) expect(hook('session-start', harness, base({ source }))).toEqual(QUIET);
    expect(journalOf(project, 'add-x').filter(({ type }) => type === 'nudged')).toEqual([]);
  });

  it('is the work of a session that takes part, and of the one after it', () => {
    const { actionId } = dispatched();
    bind();
    const call = `dev-cli step fail add-x --action ${actionId} --reason x`;
    hook('post-tool-use', 'claude', base({ tool_name: 'Bash', tool_input: { command: call } }));
    expect(JSON.parse(hook('stop', 'claude', base()).stdout).decision).toBe('block');
    hook('session-end', 'claude', base());
    const next = hook('session-start', 'claude', base({ session_id: 's-2', source: 'startup' }));
    expect(next.stdout).toContain('run its ack exactly as printed');
    expect(hook('session-start', 'claude', base({ session_id: 's-3', source: 'startup' }))).toEqual(QUIET);
    hook('session-end', 'claude', base({ session_id: 's-2' }));
    expect(hook('session-start', 'claude', base({ session_id: 's-2', source: 'resume' })).stdout).toContain('add-x');
  });

  it('is nobody’s, also when a session had an earlier run of its name', () => {
    dispatched({ CLAUDE_CODE_SESSION_ID: 's-0' });
    leaveRun(project, 'add-x');
    expect(devCli(project, ['abort', 'add-x', '--reason', 'x']).code).toBe(0);
    dispatched();
    expect(bind()).toEqual(QUIET);
  });

  it('leaves a session that has ended with another run to that', () => {
    dispatched({ CLAUDE_CODE_SESSION_ID: 's-0' });
    leaveRun(project, 'add-x');
    init(project, 'two', '--goal', 'Other', '--recipe', 'specify-quick-interactive');
    expect(bind()).toEqual(QUIET);
    expect(devCli(project, ['use', 'add-x']).code).toBe(0);
    expect(hook('session-start', 'claude', base({ session_id: 's-2', source: 'startup' })).stdout).toContain('add-x');
  });
});

const GATED = `name: gated
type: sequential
skill: open
blocks:
  - { id: gate, type: wait-for-user, human: required, message: "Shall it be?", choices: [approve, stop] }
  - { id: after, type: llm, instruction: Go on. }
`;

const LOOKING = `name: looking
type: sequential
skill: open
blocks:
  - id: look
    type: subagent
    agents: [{ type: code-explorer, prompt: Look., output: findings/looker.md }]
`;

describe('a person (harness.md, Human gates)', () => {
  const gated = (): Action => {
    writeRecipe(project, 'gated', GATED);
    const action = nextOf(init(project, 'one', '--goal', 'X', '--recipe', 'gated'));
    leaveRun(project, 'one');
    bind();
    return action;
  };
  const choose = () => devCli(project, ['step', 'complete', 'one', '--action', 'a1', '--choice', 'approve']);

  it('who writes in the bound session opens the gate, and the choice may rest on it', () => {
    gated();
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
    const { hookSpecificOutput: told } = JSON.parse(
      hook('user-prompt-submit', 'claude', base({ prompt: 'yes, approve it' })).stdout,
    );
    expect(told.hookEventName).toBe('UserPromptSubmit');
    expect(told.additionalContext).toContain('- approve: dev-cli step complete one --action a1 --choice approve\n');
    expect(choose().code).toBe(0);
    expect(stateOf(project, 'one').gates['gate']).toMatchObject({ choice: 'approve', by: 'human' });
    const word = journalOf(project, 'one').find(({ type }) => type === 'human');
    expect(word).toMatchObject({ by: { kind: 'human', via: 'hook', harness: 'claude', session: 's-1' } });
    expect(JSON.stringify(word)).not.toContain('yes, approve it');
  });

  it('who answers a question opens it, too, but not in a session that dev-cli has started', () => {
    gated();
    const { payload } = readRecorded('claude', project.root).find(
      (one) => one.event === 'post-tool-use' && one.payload['tool_name'] === 'AskUserQuestion',
    ) ?? { payload: {} };
    const started = { DEV_CLI_AGENT: 'loop' };
    expect(hook('post-tool-use', 'claude', { ...payload, session_id: 's-1' }, started)).toEqual(QUIET);
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
    const reply = hook('post-tool-use', 'claude', { ...payload, session_id: 's-1' });
    expect(reply.stdout).toContain('--choice approve');
    expect(choose().code).toBe(0);
  });

  it.each<[string, HarnessId, object, NodeJS.ProcessEnv]>([
    ['a subagent’s first message', 'codex', { prompt: 'do it', agent_id: 'x' }, {}],
    ['a notice of the harness', 'claude', { prompt: '<task-notification>done</task-notification>' }, {}],
    ['a script, where the harness tells', 'claude', { prompt: 'yes' }, { CLAUDE_CODE_SESSION_ATTENDED: '0' }],
    ['anything in a session that dev-cli has started', 'claude', { prompt: 'yes' }, { DEV_CLI_AGENT: 'loop' }],
    ['what hooks put before a prompt', 'gemini', { prompt: '<hook_context>yes</hook_context>\n\n' }, {}],
    ['a prompt in another session', 'claude', { prompt: 'yes', session_id: 's-9' }, {}],
  ])('is not %s', (_what, harness, more, env) => {
    gated();
    expect(hook('user-prompt-submit', harness, base(more), env)).toEqual(QUIET);
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
  });

  it('is not what an agent that stopped is told, which Gemini hands back as a prompt', () => {
    gated();
    writeRecipe(project, 'looking', LOOKING);
    const env = { DEV_CLI_SESSION: 's-2' };
    const begun = devCli(project, ['init', 'two', '--goal', 'Y', '--recipe', 'looking'], { env });
    expect(begun.code, begun.stdout).toBe(0);
    const { reason } = JSON.parse(hook('stop', 'gemini', base({ session_id: 's-2' })).stdout);
    const { payload } = readRecorded('gemini', project.root).find(
      (one) => one.event === 'user-prompt-submit' && String(one.payload['prompt']).startsWith('dev-cli: '),
    ) ?? { payload: {} };
    for (const more of [{ prompt: reason }, { ...payload, session_id: 's-1' }])
      expect(hook('user-prompt-submit', 'gemini', base(more))).toEqual(QUIET);
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
    expect(hook('user-prompt-submit', 'gemini', base({ prompt: 'approve it' })).code).toBe(0);
    expect(choose().code).toBe(0);
  });

  it('is heard only where somebody waits for one: other prompts are no entries', () => {
    left();
    bind();
    const before = journalOf(project, 'add-x').length;
    hook('user-prompt-submit', 'claude', base({ prompt: 'how is it going?' }));
    expect(journalOf(project, 'add-x')).toHaveLength(before);
  });
});

describe('what subagents have used (documents.md, Cost)', () => {
  const agentEnds = (tokens: unknown, agentId = 'agent-1') =>
    hook(
      'post-tool-use',
      'claude',
      base({ tool_name: 'Agent', tool_input: {}, tool_response: { agentId, totalTokens: tokens } }),
    );
  const notice = (inside: string) =>
    hook('user-prompt-submit', 'claude', base({ prompt: `<task-notification>\n${inside}\n</task-notification>` }));
  const told = () =>
    (devCli(project, ['status', 'add-x', '--json', '--full']).json['cost'] as { subagentTokens?: number })
      .subagentTokens;

  it('is kept as the harness tells it, the last word on each agent', () => {
    left();
    bind();
    expect(told()).toBeUndefined();
    expect(agentEnds(1200)).toEqual(QUIET);
    notice('<task-id>agent-2</task-id><result>done</result><usage><subagent_tokens>300</subagent_tokens></usage>');
    notice('<task-id>agent-2</task-id><result>done</result><usage><subagent_tokens>500</subagent_tokens></usage>');
    expect(told()).toBe(1700);
    expect(devCli(project, ['status', 'add-x', '--full']).stdout).toContain('1,700 tokens of subagents');
  });

  it('is neither what an agent says of itself nor what no number tells', () => {
    left();
    bind();
    for (const tokens of [undefined, 0, -5, 1.5, '90', 1e300]) agentEnds(tokens);
    agentEnds(90, '../x');
    notice('<task-id>a</task-id><result><subagent_tokens>90</subagent_tokens></result>');
    expect(told()).toBeUndefined();
  });

  it('is told by what Claude Code really sent', () => {
    left();
    bind();
    for (const { event, payload } of readRecorded('claude', project.root)) {
      const isEnd = payload['tool_name'] === 'Agent' || String(payload['prompt']).startsWith('<task-notification>');
      if (event === 'post-tool-use' || event === 'user-prompt-submit')
        if (isEnd) hook(event, 'claude', { ...payload, session_id: 's-1' });
    }
    expect(told()).toBeGreaterThanOrEqual(120);
  });
});

describe('stop (harness.md, Hooks)', () => {
  const dispatched = () => {
    const action = left();
    const classify = action.choices?.[0]?.ack ?? '';
    return nextOf(devCli(project, classify.split(' ').slice(1)).json);
  };

  it.each(HARNESS_IDS)('asks %s to go on with work in hand, at most twice for an action', (harness) => {
    const action = dispatched();
    expect(action.action).toBe('dispatch-subagents');
    bind(harness);
    for (let times = 0; times < 2; times += 1) {
      const { code, stdout } = hook('stop', harness, base());
      expect([code, JSON.parse(stdout)]).toEqual([
        0,
        { decision: 'block', reason: expect.stringContaining('dev-cli next add-x') },
      ]);
    }
    expect(hook('stop', harness, base())).toEqual(QUIET);
    expect(journalOf(project, 'add-x').filter(({ type }) => type === 'nudged')).toHaveLength(2);
  });

  it('lets go where agents are at work in the background, where the user is asked, and at a gate', () => {
    left();
    bind();
    expect(hook('stop', 'claude', base())).toEqual(QUIET);
    writeRecipe(project, 'gated', GATED);
    init(project, 'one', '--goal', 'X', '--recipe', 'gated');
    const env = { DEV_CLI_SESSION: 's-1' };
    devCli(project, ['use', 'one'], { env });
    expect(hook('stop', 'claude', base())).toEqual(QUIET);
  });

  it('lets go of background tasks', () => {
    dispatched();
    bind();
    expect(hook('stop', 'claude', base({ background_tasks: [{ id: 'x' }] }))).toEqual(QUIET);
  });
});

describe('the guard (harness.md, Guard)', () => {
  it.each([
    ['a document of the plan', '.dev/specs/add-x/DRAFT.md', true],
    ['data of an action', '.dev/specs/add-x/actions/a1/data.json', true],
    ['the goal on its way', '.dev/goal.md', true],
    ['the state', '.dev/specs/add-x/state.json', false],
    ['the journal', '.dev/specs/add-x/events.jsonl', false],
    ['the record of a command', '.dev/specs/add-x/actions/a1/exit.json', false],
    ['the guard itself', '.dev/guard', false],
    ['what a person trusts', '.dev/preferences.yaml', false],
    ['another run', '.dev/specs/other/DRAFT.md', false],
    ['a source', 'src/app.js', false],
    ['a source by way of ..', '.dev/specs/add-x/../../../src/app.js', false],
  ])('while a run plans: %s', (_what, path, allowed) => {
    planning();
    const payload = base({ tool_name: 'Edit', tool_input: { file_path: `${project.root}/${path}` } });
    expect(hook('pre-tool-use', 'claude', payload).code).toBe(allowed ? 0 : 2);
  });

  it.each([
    ['echo x > src/app.js', 2],
    ['cat <<EOF > src/app.js\nx\nEOF', 2],
    ["sed -i 's/a/b/' src/app.js", 2],
    ['cd src && rm app.js', 2],
    ['git checkout -- src/app.js', 2],
    ['npm test 2>&1 | tee /tmp/out.txt', 0],
    ['dev-cli next add-x > /dev/null', 0],
    ['grep -rn "a > b" src', 0],
    ["dev-cli init add-x --goal - <<'GOAL'\nwrite > src/app.js\nGOAL", 0],
  ])('a shell call: %s', (command, code) => {
    planning();
    expect(hook('pre-tool-use', 'claude', base({ tool_name: 'Bash', tool_input: { command } })).code).toBe(code);
  });

  it('follows links, and reads every file of a patch', () => {
    planning();
    writeProjectFile(project, '.dev/specs/add-x/findings/x.md', 'x');
    symlinkSync(join(project.root, 'src'), join(project.root, '.dev/specs/add-x/findings/out'));
    expect(hook('pre-tool-use', 'claude', write('.dev/specs/add-x/findings/out/app.js')).code).toBe(2);
    const patch = (target: string) =>
      `*** Begin Patch\n*** Add File: .dev/specs/add-x/findings/y.md\n+x\n*** Update File: ${target}\n*** End Patch`;
    const call = (target: string) => base({ tool_name: 'apply_patch', tool_input: { command: patch(target) } });
    expect(hook('pre-tool-use', 'codex', call('.dev/specs/add-x/DRAFT.md')).code).toBe(0);
    expect(hook('pre-tool-use', 'codex', call('src/app.js')).code).toBe(2);
  });

  it('a person ends it for a run in a terminal, and an agent cannot', () => {
    planning();
    const refused = devCli(project, ['guard', 'off', 'add-x', '--json']);
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'TERMINAL_REQUIRED']);
    expect(hook('pre-tool-use', 'claude', write('src/a.js')).stderr).toContain('dev-cli guard off add-x');
  });
});
