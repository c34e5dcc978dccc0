import { describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import { HOOK_EVENTS, PAYLOAD_MEMBERS } from '../../../src/wings/harness/adapter.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { readPayload } from '../../../src/wings/harness/hooks/payload.js';
import { type Recorded, readRecorded, renderPayload } from '../../support/hooks.js';

// memory.md, Hooks: which files and last messages are found in payloads that were recorded from harnesses.

const read = (harness: HarnessId, payload: Record<string, unknown>) => {
  const event = HOOK_EVENTS.find((name) => HARNESSES[harness].events[name] === payload['hook_event_name']);
  if (event === undefined) return null;
  return readPayload(renderPayload(harness, payload), { event, harness, cwd: '/elsewhere', unattended: false });
};

/**
 * Lists what the adapter names and no recorded payload of the harness has. Failed calls and answered questions have not
 * been recorded of every harness.
 */
function listMissing(harness: HarnessId, recorded: readonly Recorded[]): string[] {
  const { members = {}, tools, buildTrial } = HARNESSES[harness];
  const events = recorded.map(({ payload }) => read(harness, payload));
  const uses = events.filter((event) => event?.on === 'pre-tool-use');
  const results = events.filter((event) => event?.on === 'post-tool-use');
  const around = { event: 'pre-tool-use', harness, cwd: '/elsewhere', unattended: false } as const;
  const write = { session: 's', directory: '/project', path: 'a', content: 'x' };
  const trial = readPayload(JSON.stringify(buildTrial(write)), around);
  const found: Record<string, boolean> = {
    files: results.some(({ files }) => files.length > 0),
    command: uses.some(({ tool, input }) => tool === tools.shell && typeof input['command'] === 'string'),
    spent: tools.spent === undefined || results.some(({ spent }) => spent !== null),
    trial:
      trial?.on === 'pre-tool-use' &&
      trial.cwd === '/project' &&
      uses.some(({ tool, input }) => tool === trial.tool && Object.keys(trial.input).every((name) => name in input)),
  };
  return [
    ...PAYLOAD_MEMBERS.filter((name) => members[name] !== null && !recorded.some(({ payload }) => name in payload)),
    ...Object.keys(found).filter((what) => found[what] !== true),
    ...Object.keys(tools.members ?? {}).filter((name) => !uses.some(({ input }) => name in input)),
    ...(events.every((event) => event?.cwd.startsWith('/project') === true) ? [] : ['a payload that is read']),
  ];
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

  it.each(HARNESS_IDS)('%s: each member that its adapter names has been recorded', (harness) => {
    expect(listMissing(harness, readRecorded(harness, '/project'))).toEqual([]);
  });

  it('a member by another name is noticed', () => {
    const recorded = readRecorded('claude', '/project');
    for (const member of PAYLOAD_MEMBERS) {
      const renamed = recorded.map(({ event, payload: { [member]: value, ...others } }) => ({
        event,
        payload: { ...others, [`${member}_`]: value },
      }));
      expect(listMissing('claude', renamed), member).toContain(member);
    }
    const unnamed = recorded.map(({ event, payload: { tool_input: input, ...others } }) => ({
      event,
      payload: { ...others, tool_input: { input } },
    }));
    expect(listMissing('claude', unnamed)).toEqual(['files', 'command', 'trial']);
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
