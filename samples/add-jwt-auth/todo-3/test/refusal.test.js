import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusal } from '../src/refusal.js';

const seen = (reason) => {
  const { status, code, headers } = refusal(reason);
  return [status, code, headers['www-authenticate']];
};

it('without a token nothing is said about tokens', () => {
  assert.deepEqual(seen('missing'), [401, 'unauthenticated', 'Bearer']);
});

it('a token that has expired is named', () => {
  assert.deepEqual(seen('expired'), [401, 'token_expired', 'Bearer error="invalid_token"']);
});

it('what else is wrong with a token is not told', () => {
  const told = ['malformed', 'forged', 'early'].map((reason) =>
    JSON.stringify([...seen(reason), refusal(reason).message]),
  );
  assert.equal(new Set(told).size, 1);
  assert.deepEqual(seen('forged'), [401, 'unauthenticated', 'Bearer error="invalid_token"']);
});
