import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../src/config.js';

it('has defaults', () => {
  assert.deepEqual(readConfig({}), { port: 3000, bodyLimit: 10_000 });
});

it('names the variable that is wrong', () => {
  assert.throws(() => readConfig({ PORT: '80a' }), /PORT must be a whole number/);
});
