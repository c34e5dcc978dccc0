import { describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import type { HookEvent } from '../../../src/protocol/ports.js';
import { HOOK_EVENTS, type HookEventName } from '../../../src/wings/harness/adapter.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { readPayload } from '../../../src/wings/harness/hooks/payload.js';
import { readRecorded } from '../../support/hooks.js';

// memory.md, Hooks: which files and last messages are found in payloads that were recorded from harnesses.

const read = (harness: HarnessId, payload: Record<string, unknown>) => {
  const event = HOOK_EVENTS.find((name) => HARNESSES[harness].events[name] === payload['hook_event_name']);
  if (event === undefined) return null;
  return readPayload(JSON.stringify(payload), { event, harness, cwd: '/elsewhere', unattended: false });
};

/**
 * Lists what no recorded payload of the harness gave, because `readPayload` does not know its name. Failed calls have not
 * been recorded of every harness.
 */
function listUnread(harness: HarnessId, events: readonly (HookEvent | null)[]): string[] {
  const { said, hidesWriter, tools } = HARNESSES[harness];
  const on = <K extends HookEventName>(name: K) =>
    events.filter((event): event is Extract<HookEvent, { on: K }> => event?.on === name);
  const [uses, results] = [on('pre-tool-use'), on('post-tool-use')];
  const found: Record<string, boolean> = {
    'a payload': !events.includes(null),
    cwd: events.every((event) => event?.cwd.startsWith('/project')),
    prompt: on('user-prompt-submit').some(({ prompt }) => prompt !== ''),
    'shell command': uses.some(({ tool, input }) => tool === tools.shell && typeof input['command'] === 'string'),
    agent: hidesWriter === true || uses.some(({ agent }) => agent !== null),
    'agent type': hidesWriter === true || uses.some(({ agentType }) => agentType !== null),
    files: results.some(({ files }) => files.length > 0),
    spent: tools.spent === undefined || results.some(({ spent }) => spent !== null),
    said: said === undefined || on('stop').some((stop) => stop.said !== null),
  };
  return Object.keys(found).filter((member) => found[member] !== true);
}

describe('what an event tells besides (memory.md, Hooks)', () => {
  const readAll = (harness: HarnessId) =>
    readRecorded(harness, '/project').map(({ payload }) => read(harness, payload));

  it.each<[HarnessId, string, string[]]>([
    ['claude', '/project/exit1.txt', ['final answer', 'end1', 'end2']],
    ['codex', 'exit1.txt', ['final answer']],
    ['gemini', 'exit1.txt', ['final answer']],
  ])('%s: the files of file tools and patches, and what the agent said', (harness, file, words) => {
    const events = readAll(harness);
    const uses = events.filter((event) => event?.on === 'post-tool-use');
    expect(uses.flatMap(({ files }) => files)).toContain(file);
    for (const use of uses) {
      expect(use.failed).toBe(false);
      const { shell } = HARNESSES[harness].tools;
      if (use.tool === shell) expect(use.files).toEqual([]);
    }
    const said = events.flatMap((event) => (event?.on === 'stop' ? [event.said] : []));
    for (const word of words) expect(said).toContain(word);
  });

  it.each(HARNESS_IDS)('%s: something of each member is read', (harness) => {
    expect(listUnread(harness, readAll(harness))).toEqual([]);
  });

  it('a member by another name is noticed', () => {
    for (const [member, missing] of Object.entries({
      cwd: ['cwd'],
      prompt: ['prompt'],
      agent_id: ['agent'],
      agent_type: ['agent type'],
      tool_input: ['a payload', 'cwd', 'shell command', 'agent', 'agent type', 'files'],
      last_assistant_message: ['said'],
    })) {
      const events = readRecorded('claude', '/project').map(({ payload: { [member]: value, ...others } }) =>
        read('claude', { ...others, [`${member}_`]: value }),
      );
      expect(listUnread('claude', events), member).toEqual(expect.arrayContaining(missing));
    }
  });

  const use = (harness: HarnessId, more: object) => {
    const payload = { session_id: 's', hook_event_name: HARNESSES[harness].events['post-tool-use'], tool_input: {} };
    const event = read(harness, { ...payload, ...more });
    return event?.on === 'post-tool-use' ? event : null;
  };

  it('a call that came to nothing has failed, and a tool that names no file has none', () => {
    const patch = {
      tool_name: 'apply_patch',
      tool_input: { command: '*** Begin Patch\n*** Update File: a\n*** Move to: b\n' },
    };
    for (const [response, failed] of [
      ['Exit code: 0\nok', false],
      ['Exit code: 1\nno', true],
      ['Exit code: 10', true],
      ['x\nExit code: 1', false],
    ])
      expect(use('codex', { ...patch, tool_response: response })?.failed, String(response)).toBe(failed);
    expect(use('codex', patch)?.files).toEqual(expect.arrayContaining(['a', 'b']));
    const write = { tool_name: 'write_file', tool_input: { file_path: 'a', content: '' } };
    expect(use('gemini', { ...write, tool_response: { llmContent: '', error: { message: 'no' } } })?.failed).toBe(true);
    expect(use('gemini', { ...write, tool_response: { llmContent: '', error: null } })?.failed).toBe(false);
    expect(use('claude', { tool_name: 'Write' })?.files).toEqual([]);
    expect(use('claude', { tool_name: 'Bash', tool_input: { command: 'echo > x' } })?.files).toEqual([]);
  });

  it('without a last word nothing was said', () => {
    const stop = { session_id: 's', hook_event_name: 'Stop' };
    for (const word of [{}, { last_assistant_message: null }, { last_assistant_message: 7 }, { prompt_response: 'x' }])
      expect(read('claude', { ...stop, ...word })).toMatchObject({ on: 'stop', said: null });
  });
});
