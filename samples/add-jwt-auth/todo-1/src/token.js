import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds by which two clocks may differ. */
const LEEWAY = 30;
const FORM = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/**
 * Checks a token. The header never chooses the algorithm, and nothing of the payload is read before the signature holds.
 * @param {string} token
 * @param {{ secret: string, now: () => number }} options `now` in milliseconds
 * @returns {{ ok: true, claims: Record<string, unknown> } | { ok: false, reason: 'malformed' | 'forged' | 'expired' | 'early' }}
 */
export function verifyToken(token, { secret, now }) {
  const [, header, payload, signature] = FORM.exec(token) ?? [];
  if (signature === undefined) return { ok: false, reason: 'malformed' };
  if (!sameBytes(Buffer.from(signature, 'base64url'), sign(`${header}.${payload}`, secret))) {
    return { ok: false, reason: 'forged' };
  }
  if (decoded(header)?.alg !== 'HS256') return { ok: false, reason: 'forged' };
  const claims = decoded(payload);
  if (claims === null || typeof claims.exp !== 'number') return { ok: false, reason: 'malformed' };
  const seconds = now() / 1000;
  if (claims.exp + LEEWAY <= seconds) return { ok: false, reason: 'expired' };
  if (typeof claims.nbf === 'number' && claims.nbf - LEEWAY > seconds) return { ok: false, reason: 'early' };
  return { ok: true, claims };
}

/** Makes a token for trying a route by hand and for tests; clients get theirs from the issuing service. */
export function signToken(claims, { secret, header = { alg: 'HS256', typ: 'JWT' } }) {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign(text, secret).toString('base64url')}`;
}

function sign(text, secret) {
  return createHmac('sha256', secret).update(text).digest();
}

function sameBytes(a, b) {
  return a.length === b.length && timingSafeEqual(a, b);
}

function decoded(part) {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
