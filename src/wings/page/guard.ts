import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Sessions } from './sessions.js';
import type { Shell } from './shell.js';
import type { PageError } from './wire.js';

/** Bytes of what is posted. */
const MOST = 64 * 1024;

/** The header that names a session: cookies would go to every port of this machine. */
const SESSION = 'x-dev-cli-session';

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 429 | 500;

/** Answers a request that is refused. */
export function refuse(status: Status, code: string, message: string, fix?: string): Response {
  const body: PageError = { error: { code, message, ...(fix !== undefined && { fix }) } };
  return Response.json(body, { status });
}

/** What every answer says of itself. */
export const labelAnswers =
  (shell: Shell): MiddlewareHandler =>
  async (context, next) => {
    await next();
    const { headers } = context.res;
    headers.set('content-security-policy', `${shell.policy("'self'")}; frame-ancestors 'none'`);
    headers.set('cache-control', 'no-store');
    headers.set('referrer-policy', 'no-referrer');
    headers.set('x-content-type-options', 'nosniff');
  };

/** Lets nothing in that another site, another name of this machine or a form has sent (view-page.md, Guard). */
export const guardOrigin =
  (host: string): MiddlewareHandler =>
  async ({ req }, next) => {
    if (req.header('host') !== host) return refuse(421, 'USAGE', `This is ${host} alone.`);
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    const isOwn = origin === undefined || origin === `http://${host}`;
    if (!isOwn || !['same-origin', 'none', undefined].includes(site))
      return refuse(403, 'USAGE', 'Another site may not ask.');
    if (!['GET', 'POST'].includes(req.method)) return refuse(405, 'USAGE', 'Only GET and POST are answered.');
    const [type = ''] = (req.header('content-type') ?? '').split(';');
    if (req.method === 'POST' && type.trim().toLowerCase() !== 'application/json')
      return refuse(415, 'USAGE', 'Only application/json is taken.');
    return next();
  };

/** Takes no more than 64 kB. */
export const guardSize: MiddlewareHandler = bodyLimit({
  maxSize: MOST,
  onError: () => refuse(413, 'USAGE', `At most ${MOST} bytes are taken.`),
});

/** Lets in whoever has a session. */
export const guardSession =
  (sessions: Sessions): MiddlewareHandler =>
  async ({ req }, next) =>
    sessions.has(req.header(SESSION) ?? '') ? next() : refuseSession();

/** No ticket, one that was used, one that is too old. */
export function refuseSession(): Response {
  return refuse(401, 'TERMINAL_REQUIRED', 'There is no session.', 'Press o in the terminal of dev-cli view.');
}
