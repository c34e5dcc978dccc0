import { randomBytes } from 'node:crypto';
import { createApp } from '../src/app.js';
import { HttpError } from '../src/errors.js';
import { TodoStore } from '../src/store.js';
import { signToken, verifyToken } from '../src/token.js';

const NOW = new Date('2026-01-02T03:04:05.000Z');
const secret = randomBytes(32).toString('hex');

/** A token that holds for a minute, or as the claims say. */
export function tokenFor(claims = {}) {
  return signToken({ sub: 'tester', exp: NOW.getTime() / 1000 + 60, ...claims }, { secret });
}

function guard(request) {
  const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const found = verifyToken(token, { secret, now: () => NOW.getTime() });
  if (!found.ok) throw new HttpError(401, 'unauthenticated', found.reason);
  return found.claims.sub;
}

/** Starts the API on a free port with a clock that stands still. Requests carry a good token; `token: null` leaves it out. */
export async function startApi({ token = tokenFor(), ...options } = {}) {
  const store = new TodoStore(() => NOW);
  const server = createApp({ store, guard, ...options });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const request = (path, init = {}) => fetch(base + path, { ...init, headers: { ...authorization, ...init.headers } });
  return {
    store,
    request,
    send: (method, path, body) =>
      request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
