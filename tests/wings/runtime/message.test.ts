import { describe, expect, it } from 'vitest';
import type { PendingAction } from '../../../src/run/action.js';
import { renderActionMessage } from '../../../src/wings/runtime/drive/message.js';

// runtime.md, Driving: the first message of a session about its action.

const FILES: Readonly<Record<string, string>> = {
  '/shipped/schemas/size.schema.json': '{"title":"size"}',
  '/root/.dev/specs/a/actions/a1/schema.json': '{"title":"own"}',
  '/elsewhere/specs/a/actions/a1/schema.json': '{"title":"moved"}',
};

const render = (schema: string) => {
  const data = { write: '.dev/specs/a/actions/a1/data.json', form: 'json', schema };
  const reader = { read: (path: string) => FILES[path] ?? null };
  return renderActionMessage(
    { action: 'llm', instruction: 'Count.', data } as unknown as PendingAction,
    { reader, root: '/root', library: { shipped: '/shipped' } } as unknown as Parameters<typeof renderActionMessage>[1],
  );
};

describe('the message about an action', () => {
  it.each([
    ['size', 'size'],
    ['.dev/specs/a/actions/a1/schema.json', 'own'],
    ['/elsewhere/specs/a/actions/a1/schema.json', 'moved'],
  ])('has the schema of its data: %s', (schema, title) => {
    const message = render(schema);
    expect(message).toContain(`It must match this schema: {"title":"${title}"}`);
    expect(message).toContain('Write /root/.dev/specs/a/actions/a1/data.json: JSON.');
  });
});
