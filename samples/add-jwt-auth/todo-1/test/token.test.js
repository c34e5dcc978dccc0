import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { signToken, verifyToken } from '../src/token.js';

const secret = randomBytes(32).toString('hex');
const NOW = 1_000_000;
const now = () => NOW * 1000;
const check = (token) => verifyToken(token, { secret, now });
const token = (claims, options = {}) => signToken({ sub: 'tester', exp: NOW + 60, ...claims }, { secret, ...options });
const reasonOf = (text) => check(text).reason;

describe('a good token', () => {
  it('gives its claims', () => {
    assert.equal(check(token()).claims.sub, 'tester');
  });

  it('may be 29 seconds late or early', () => {
    assert.ok(check(token({ exp: NOW - 29 })).ok);
    assert.ok(check(token({ nbf: NOW + 29 })).ok);
  });
});

describe('a broken token', () => {
  const [header, payload, signature] = token().split('.');
  const other = Buffer.from(JSON.stringify({ sub: 'root', exp: NOW + 60 })).toString('base64url');
  for (const [what, text, reason] of [
    ['nothing', '', 'malformed'],
    ['two parts', `${header}.${payload}`, 'malformed'],
    ['four parts', `${token()}.x`, 'malformed'],
    ['an empty signature', `${header}.${payload}.`, 'malformed'],
    ['characters that base64url does not have', `${header}.${payload}.ab+/`, 'malformed'],
    ['another payload', `${header}.${other}.${signature}`, 'forged'],
    ['a signature that is cut', `${header}.${payload}.${signature.slice(0, 20)}`, 'forged'],
    ['another secret', signToken({ exp: NOW + 60 }, { secret: 'x'.repeat(32) }), 'forged'],
    ['the algorithm none', token({}, { header: { alg: 'none' } }), 'forged'],
    ['another algorithm', token({}, { header: { alg: 'HS512' } }), 'forged'],
    ['no end', token({ exp: undefined }), 'malformed'],
    ['an end that is a text', token({ exp: 'tomorrow' }), 'malformed'],
    ['an end 30 seconds ago', token({ exp: NOW - 30 }), 'expired'],
    ['a beginning in 31 seconds', token({ nbf: NOW + 31 }), 'early'],
  ]) {
    it(`with ${what} is ${reason}`, () => {
      assert.equal(reasonOf(text), reason);
    });
  }
});
