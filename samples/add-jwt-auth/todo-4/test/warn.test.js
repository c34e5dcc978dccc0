import assert from 'node:assert/strict';
import { it } from 'node:test';
import { audit } from '../src/audit.js';

it('writes one line with method, path and reason, and nothing that may hold a token', () => {
  const lines = [];
  const note = audit((line) => lines.push(line));
  note({ method: 'GET', url: '/todos?token=abc.def.ghi' }, 'missing');
  assert.deepEqual(lines, ['would refuse GET /todos: missing']);
});
