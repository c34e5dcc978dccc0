import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HarnessId } from '../../../src/generated/harnesses.js';
import { aPlan, aTodo } from '../../core/plan/fixture.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, init, journalOf, nextOf, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { callHook, QUIET, type Reply } from '../../support/hooks.js';

// harness.md, Promised outputs: a file is checked as soon as an agent has written it and can still fix it, and its
// writer is recorded.

let action: Action;
let output: string;
useProject();
beforeEach(() => {
  const first = nextOf(init(project, 'one', '--goal', 'Add X', '--recipe', 'specify-standard-interactive'));
  const classify = first.choices?.[0]?.ack ?? '';
  action = nextOf(devCli(project, classify.split(' ').slice(1)).json);
  output = action.agents?.[0]?.output ?? '';
});

const SOUND = (agent: string) =>
  `---\nagent: ${agent}\ntimestamp: 2026-11-22T12:00:00Z\nsummary: Looked.\n---\n\nNothing.\n`;

/** Writes a file, and reports that an agent has just written it. */
function wrote(text: string, agent: object, harness: HarnessId = 'claude', path = output): Reply {
  writeProjectFile(project, path, text);
  return callHook(project, 'post-tool-use', harness, {
    session_id: 's-1',
    cwd: project.root,
    tool_name: harness === 'gemini' ? 'write_file' : 'Write',
    tool_input: { file_path: join(project.root, path), content: text },
    ...agent,
  });
}

const SUBAGENT = { agent_id: 'agent-7', agent_type: 'dev-cli-explorer' };
const told = ({ stdout }: Reply): string => JSON.parse(stdout).hookSpecificOutput.additionalContext;
const statusOf = () => devCli(project, ['status', 'one']).stdout;

describe('promised outputs (harness.md, Promised outputs)', () => {
  it('that would be refused are told at once, with what is wrong and where', () => {
    const reply = wrote('no report', SUBAGENT);
    expect(reply.code).toBe(0);
    expect(told(reply)).toContain(output);
    expect(told(reply)).toMatch(/would be refused/);
    expect(told(wrote(SOUND('somebody-else'), SUBAGENT))).toContain(action.agents?.[0]?.id);
    expect(wrote(SOUND(action.agents?.[0]?.id ?? ''), SUBAGENT)).toEqual(QUIET);
  });

  it('of a worker are judged by what its task asks', () => {
    const plan = aPlan({
      todos: [
        aTodo('todo-1', {
          outputs: [{ name: 'word', description: 'the word' }],
          acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is so.' }],
        }),
      ],
    });
    writeProjectFile(project, 'plan.json', JSON.stringify(plan));
    devCli(project, ['plan', 'generate', 'work', '--data', '@plan.json']);
    const begun = nextOf(devCli(project, ['init', 'work', '--execute']).json) as Action & {
      tasks: { output: string }[];
    };
    const path = begun.tasks[0]?.output ?? '';
    const result = { status: 'DONE', outputs: {}, filesChanged: [], learnings: [], issues: [], summary: 's' };
    expect(told(wrote(JSON.stringify(result), SUBAGENT, 'claude', path))).toContain('/outputs/word');
    expect(wrote(JSON.stringify({ ...result, outputs: { word: 'x' } }), SUBAGENT, 'claude', path)).toEqual(QUIET);
  });

  it('alone are judged: other files are nobody’s', () => {
    expect(wrote('x', SUBAGENT, 'claude', '.dev/specs/one/note.md')).toEqual(QUIET);
    expect(wrote('x', SUBAGENT, 'claude', 'src/x.js')).toEqual(QUIET);
  });

  it('have their writer in the journal, and status tells what the main agent wrote itself', () => {
    const sound = SOUND(action.agents?.[0]?.id ?? '');
    expect(wrote(sound, SUBAGENT)).toEqual(QUIET);
    expect(journalOf(project, 'one').at(-1)).toMatchObject({
      type: 'written',
      by: { kind: 'hook', harness: 'claude' },
      data: { path: output.replace('.dev/specs/one/', ''), agent: 'agent-7', agentType: 'dev-cli-explorer' },
    });
    expect(statusOf()).not.toContain('by the main agent');
    wrote(sound, {});
    expect(statusOf()).toContain(`${output.replace('.dev/specs/one/', '')} was written by the main agent`);
    wrote(sound, SUBAGENT);
    expect(statusOf()).not.toContain('by the main agent');
    expect(stateOf(project, 'one')).not.toHaveProperty('selfWritten');
  });

  it('are judged for Gemini, which does not tell who wrote them', () => {
    expect(told(wrote('no report', {}, 'gemini'))).toContain(output);
    expect(journalOf(project, 'one').some(({ type }) => type === 'written')).toBe(false);
  });
});
