import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aPlan, aTodo } from '../../core/plan/fixture.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, init, nextOf, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook, leaveRun, QUIET } from '../../support/hooks.js';
import { CHECKOUT } from '../../support/project.mjs';

// harness.md, Hooks: Codex CLI has the same format of payloads as Claude Code. These tests cover the payloads that only
// Claude Code sends; each was recorded from it.

useProject();

type Payload = Record<string, unknown> & { session_id: string };

/** Returns recorded payloads of an event, adapted to this project and its session. */
function recorded(event: string, fits: (payload: Payload) => boolean = () => true): Payload[] {
  const text = readFileSync(join(CHECKOUT, 'tests/fixtures/harness/claude.jsonl'), 'utf8');
  const all = text.replaceAll('"/project', `"${project.root}`).trim().split('\n');
  const found = all.map((line) => JSON.parse(line) as Payload);
  return found
    .filter((payload) => payload['hook_event_name'] === event && fits(payload))
    .map((payload) => ({ ...payload, session_id: 's-1' }));
}

function one(event: string, fits?: (payload: Payload) => boolean): Payload {
  const [payload] = recorded(event, fits);
  if (payload === undefined) throw new Error(`no ${event} like that is recorded`);
  return payload;
}

/** Starts the session, which continues the run that another session has left. */
const begin = () => {
  leaveRun(project, 'add-x');
  return callHook(
    project,
    'session-start',
    'claude',
    one('SessionStart', (p) => p['source'] === 'startup'),
  );
};
const tasksOf = (payload: Payload) => payload['background_tasks'] as unknown[];

/** Starts, in the session, a run whose next action asks to start agents. */
function dispatched(): Action {
  const first = nextOf(init(project, 'add-x', '--goal', 'X', '--recipe', 'specify-quick-interactive'));
  begin();
  const classify = first.choices?.[0]?.ack ?? '';
  return nextOf(devCli(project, classify.split(' ').slice(1)).json);
}

/** Starts, in the session, a run that waits for a person. */
function gated(): void {
  const gate = 'id: gate, type: wait-for-user, human: required, message: "Shall it be?", choices: [approve, stop]';
  writeRecipe(project, 'gated', `name: gated\ntype: sequential\nskill: open\nblocks:\n  - { ${gate} }\n`);
  init(project, 'add-x', '--goal', 'X', '--recipe', 'gated');
  begin();
}

const choose = () => devCli(project, ['step', 'complete', 'add-x', '--action', 'a1', '--choice', 'approve']);

describe('what Claude Code alone sends', () => {
  it('background_tasks: an agent that waits for its own may stop, and is asked to go on when they are done', () => {
    dispatched();
    const stop = (fits: (payload: Payload) => boolean) => callHook(project, 'stop', 'claude', one('Stop', fits));
    expect(stop((payload) => tasksOf(payload).length > 0)).toEqual(QUIET);
    expect(JSON.parse(stop((payload) => tasksOf(payload).length === 0).stdout).decision).toBe('block');
  });

  it('a task notification opens no gate, and the next words of the person do', () => {
    gated();
    const isNotice = ({ prompt }: Payload) => String(prompt).startsWith('<task-notification>');
    expect(callHook(project, 'user-prompt-submit', 'claude', one('UserPromptSubmit', isNotice))).toEqual(QUIET);
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
    const said = callHook(
      project,
      'user-prompt-submit',
      'claude',
      one('UserPromptSubmit', (p) => !isNotice(p)),
    );
    expect(said.code).toBe(0);
    expect(choose().code).toBe(0);
  });

  it.each(['0', '1', undefined])('attended %s: a script’s prompt opens no gate, a person’s does', (attended) => {
    gated();
    const env = attended === undefined ? {} : { CLAUDE_CODE_SESSION_ATTENDED: attended };
    callHook(project, 'user-prompt-submit', 'claude', one('UserPromptSubmit'), env);
    expect(choose().code).toBe(attended === '0' ? 3 : 0);
  });

  it('a question is a person’s word when it has been answered, not when it is asked', () => {
    gated();
    const isQuestion = (payload: Payload) => payload['tool_name'] === 'AskUserQuestion';
    const asked = one('PreToolUse', isQuestion);
    expect(callHook(project, 'pre-tool-use', 'claude', asked)).toEqual(QUIET);
    expect(callHook(project, 'post-tool-use', 'claude', asked)).toEqual(QUIET);
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
    callHook(project, 'post-tool-use', 'claude', { ...one('PostToolUse', isQuestion), agent_id: 'sub' });
    expect(choose().json.error?.code).toBe('HUMAN_REQUIRED');
    callHook(project, 'post-tool-use', 'claude', one('PostToolUse', isQuestion));
    expect(choose().code).toBe(0);
  });

  it('agent_id: a worker writes the files of its todo, the agent that drives the run does not', () => {
    const proof = { id: 'as-1', kind: 'assertion' as const, text: 'It is so.' };
    const plan = aPlan({ todos: [aTodo('todo-1', { files: ['subplain.txt'], acceptance: [proof] })] });
    writeProjectFile(project, 'plan.json', JSON.stringify(plan));
    devCli(project, ['plan', 'generate', 'add-x', '--data', '@plan.json']);
    const begun = devCli(project, ['init', 'add-x', '--execute']);
    expect(begun.code, begun.stdout).toBe(0);
    begin();
    const isOf = (name: string) => (payload: Payload) =>
      (payload['tool_input'] as { file_path?: string } | undefined)?.file_path?.endsWith(`/${name}`) === true;
    const byWorker = one('PreToolUse', isOf('subplain.txt'));
    expect(byWorker['agent_id']).toBeTypeOf('string');
    expect(callHook(project, 'pre-tool-use', 'claude', byWorker)).toEqual(QUIET);
    const { agent_id: _id, agent_type: _type, ...byMain } = byWorker;
    const refused = callHook(project, 'pre-tool-use', 'claude', byMain);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('its subagents write sources')]);
    const elsewhere = { ...one('PreToolUse', isOf('plain.txt')), agent_id: byWorker['agent_id'] };
    expect(callHook(project, 'pre-tool-use', 'claude', elsewhere).stderr).toContain('in no todo that is at work');
    const own = one('PreToolUse', isOf('sub.txt'));
    expect(callHook(project, 'pre-tool-use', 'claude', own).stderr).toContain('.dev/sub.txt');
  });

  it('a compaction: the session stays bound, and is told the manifest when it begins anew', () => {
    const action = dispatched();
    const [compacted] = recorded('SessionStart', (payload) => payload['source'] === 'compact');
    const { code, stdout } = callHook(project, 'session-start', 'claude', compacted ?? {});
    expect(code).toBe(0);
    const { hookSpecificOutput: told } = JSON.parse(stdout);
    expect(told.hookEventName).toBe('SessionStart');
    expect(told.additionalContext).toContain(action.actionId);
    expect(told.additionalContext.length).toBeLessThan(6000);
    expect(readFileSync(join(project.root, '.dev/sessions/s-1'), 'utf8')).toBe('add-x\nheard\n');
  });
});
