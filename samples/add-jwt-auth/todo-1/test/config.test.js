import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../src/config.js';

const AUTH_SECRET = 's'.repeat(32);

it('has defaults', () => {
  const { port, bodyLimit, authMode } = readConfig({ AUTH_SECRET });
  assert.deepEqual({ port, bodyLimit, authMode }, { port: 3000, bodyLimit: 10_000, authMode: 'enforce' });
});

it('names the variable that is wrong', () => {
  assert.throws(() => readConfig({ PORT: '80a' }), /PORT must be a whole number/);
  assert.throws(() => readConfig({ AUTH_SECRET, AUTH_MODE: 'off' }), /AUTH_MODE must be enforce or warn/);
});

it('wants an AUTH_SECRET of 32 bytes and never shows it', () => {
  assert.throws(() => readConfig({}), { message: 'AUTH_SECRET must have at least 32 bytes' });
  assert.throws(() => readConfig({ AUTH_SECRET: 'hunter2' }), { message: 'AUTH_SECRET must have at least 32 bytes' });
});
