import { appendFileSync, cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { imageOf } from '../../support/cli.js';
import { openStage, type Stage } from './stage.js';

// runtime.md, Sessions: files in .dev/runtime are torn, damaged, copied, or from another version. dev-cli repairs them
// or reports a clear error, and never overwrites a file that it cannot read.

let stage: Stage;
let id = '';
beforeEach(async () => {
  stage = await openStage(() => ({ messages }) => ({ text: `Answer ${messages.length}.` }));
  id = (await ask('Begin.')).json.session ?? '';
});

const ask = (message: string, ...more: string[]) =>
  stage.run('prompt', message, '--config', stage.config, '--json', ...more);
const goOn = (session = id) => ask('Go on.', '--session', session);
const fileOf = (name: string, session = id) => join(stage.project.root, '.dev/runtime', session, name);
const journal = () => fileOf('events.jsonl');

async function expectRefused(code: string, exit: number): Promise<void> {
  const image = imageOf(stage.project);
  const sent = stage.served.requests.length;
  const refused = await goOn();
  expect([refused.exit, refused.json.error?.code, refused.stderr], refused.stdout).toEqual([exit, code, '']);
  expect(refused.json.error?.message.length).toBeGreaterThan(20);
  expect(imageOf(stage.project)).toEqual(image);
  expect(stage.served.requests).toHaveLength(sent);
}

it('whole, it goes on', async () => {
  expect((await goOn()).json).toMatchObject({ status: 'completed', session: id, message: 'Answer 3.' });
});

it('a last line that never came to its end is cut: it never happened', async () => {
  appendFileSync(journal(), '{"seq":99,"type":"user","da');
  expect((await goOn()).json).toMatchObject({ status: 'completed', message: 'Answer 3.' });
  expect(readFileSync(journal(), 'utf8')).not.toContain('"seq":99');
});

describe('refused, and nothing is touched', () => {
  it('a last line that was whole, and is torn', async () => {
    const text = readFileSync(journal(), 'utf8');
    truncateSync(journal(), Buffer.byteLength(text) - 20);
    await expectRefused('JOURNAL_CORRUPT', 1);
  });

  it('damage in the middle', async () => {
    const text = readFileSync(journal(), 'utf8');
    expect(text).toContain('Begin.');
    writeFileSync(journal(), text.replace('Begin.', 'Bexin.'));
    await expectRefused('JOURNAL_CORRUPT', 1);
  });

  it('a state of a newer version, which no list hides', async () => {
    const state = JSON.parse(readFileSync(fileOf('state.json'), 'utf8')) as object;
    writeFileSync(fileOf('state.json'), JSON.stringify({ ...state, schemaVersion: 2 }));
    const listed = await stage.run('session', 'list', '--json');
    expect(listed.json.warnings?.join()).toContain(id);
    await expectRefused('STATE_NEWER', 1);
  });
});

it('a state that is no JSON is made anew from the journal', async () => {
  writeFileSync(fileOf('state.json'), '{"schemaVersion":1,');
  expect((await goOn()).json).toMatchObject({ status: 'completed', message: 'Answer 3.' });
});

it('a copy beside it does not stand in its way, is no session of its own, and is told', async () => {
  cpSync(fileOf('.'), fileOf('.', 'a-copy'), { recursive: true });
  expect((await goOn()).json).toMatchObject({ status: 'completed', session: id });
  const listed = await stage.run('session', 'list', '--json');
  expect(listed.json.sessions?.map((one) => one.id)).toEqual([id]);
  expect(listed.json.warnings?.join()).toContain('a-copy');
  expect((await goOn('a-copy')).json.error?.code).toBe('NO_SUCH_SESSION');
});

it('taken to another root, it goes on there, and leaves the first one alone', async () => {
  const other = await openStage(() => () => ({ text: 'Here.' }));
  mkdirSync(join(other.project.root, '.dev'), { recursive: true });
  cpSync(join(stage.project.root, '.dev/runtime'), join(other.project.root, '.dev/runtime'), { recursive: true });
  const image = imageOf(stage.project);
  const moved = await other.run('prompt', 'Go on.', '--session', id, '--config', other.config, '--json');
  expect(moved.json, moved.stdout).toMatchObject({ status: 'completed', session: id, message: 'Here.' });
  expect(imageOf(stage.project)).toEqual(image);
});

describe('imported', () => {
  const call = { type: 'tool_use', id: 'c1', name: 'bash', input: '{"command":"true"}' };
  const messages = [
    { role: 'user', blocks: [{ type: 'text', text: 'Look.' }], usage: null },
    { role: 'assistant', blocks: [call], usage: null },
  ];
  const bring = async (document: object | string) => {
    const file = join(stage.project.home, 'session.json');
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
    return stage.run('session', 'import', file, '--json');
  };

  it('with a call that has no result, and usage: null: it goes on, and the provider takes it', async () => {
    const { exit, json } = await bring({ version: 1, messages });
    expect(exit).toBe(0);
    expect((await goOn(json.session)).json).toMatchObject({ status: 'completed', message: 'Answer 4.' });
    expect(stage.served.requests.at(-1)?.status).toBe(200);
  });

  it.each<[string, object | string, string]>([
    ['of a newer version', { version: 2, messages }, '/version'],
    [
      'with a result of no call',
      {
        version: 1,
        messages: [
          messages[0],
          {
            role: 'tool',
            blocks: [{ type: 'tool_result', tool_use_id: 'x', tool_name: 'bash', output: '', is_error: false }],
          },
        ],
      },
      '/messages/1/blocks/0',
    ],
    [
      'with a block of another kind',
      { version: 1, messages: [{ role: 'user', blocks: [{ type: 'image' }] }] },
      '/messages/0',
    ],
    ['that is no JSON', '{"version":1', ''],
  ])('%s: refused with where, and nothing is made', async (_, document, pointer) => {
    const image = imageOf(stage.project);
    const { exit, json, stdout } = await bring(document);
    expect([exit, json.error?.code], stdout).toEqual([3, 'SCHEMA_INVALID']);
    expect(stdout).toContain(`"pointer":"${pointer}`);
    expect(imageOf(stage.project)).toEqual(image);
  });
});
