import { audit } from './audit.js';
import { refusal } from './refusal.js';
import { verifyToken } from './token.js';

/**
 * Decides who is let in: gives the subject of the token, or throws the refusal. In mode `warn` everybody passes, and what would
 * have been refused is logged.
 * @param {{ secret: string, mode: 'enforce' | 'warn', log: (line: string) => void, now?: () => number }} options
 */
export function makeGuard({ secret, mode, log, now = Date.now }) {
  const note = audit(log);
  return (request) => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const found = token === undefined ? { ok: false, reason: 'missing' } : verifyToken(token, { secret, now });
    if (found.ok) return found.claims.sub ?? null;
    if (mode === 'enforce') throw refusal(found.reason);
    note(request, found.reason);
    return null;
  };
}
