import { afterEach, describe, expect, it } from 'vitest';
import { StandIn } from '../support/agent.mjs';
import { devCli, nextOf, stateOf } from '../support/cli.js';
import { callHook } from '../support/hooks.js';
import { createProject, type Project } from '../support/project.mjs';

// The README's first screen: a plan is approved in the chat, with nothing typed at a terminal.

let project: Project;
afterEach(() => project.remove());

describe('a chat in a harness with hooks (harness.md, Human gates)', () => {
  it('a plan is approved by a word in the chat, its commands with it, and the work begins', () => {
    project = createProject();
    project.env['CLAUDE_CODE_SESSION_ID'] = 's-1';
    const call = (payload: object) => ({ session_id: 's-1', cwd: project.root, ...payload });
    callHook(project, 'session-start', 'claude', call({ source: 'startup' }));
    const agent = new StandIn({
      project,
      scenario: { before: ({ human }) => (human === 'required' ? 'stop' : undefined) },
    });
    const gate = agent.drive(agent.start('--recipe specify-standard-interactive'));
    expect(gate).toMatchObject({ block: 'approve-plan', human: 'required' });
    const approve = ['step', 'complete', agent.name, '--action', gate.actionId, '--choice', 'approve'];
    expect(devCli(project, approve).json.error).toMatchObject({
      code: 'HUMAN_REQUIRED',
      fix: expect.stringMatching(/in this chat.*in their own terminal/),
    });

    const heard = callHook(project, 'user-prompt-submit', 'claude', call({ prompt: 'Approve it, then build it.' }));
    const { additionalContext: told } = JSON.parse(heard.stdout).hookSpecificOutput;
    expect(told).toContain(`- approve: dev-cli ${approve.join(' ')}\n`);
    expect(told).toMatch(/- revise: write why to \S+note\.md, then dev-cli step complete .* --note @\S+note\.md/);
    expect(devCli(project, approve).json.next).toMatchObject({ done: true, outcome: 'completed' });
    expect(stateOf(project, agent.name).gates['approve-plan']).toMatchObject({ choice: 'approve', by: 'human' });

    const begun = nextOf(devCli(project, ['init', agent.name, '--execute']).json);
    expect(begun.action).toBe('engine-dispatch');
  });
});
