import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Sessions } from './sessions.js';
import type { PageShell } from './shell.js';
import type { PageError } from './wire.js';

/** Maximum bytes of a request body. */
const MOST = 64 * 1024;

/** The header with the page's session. A cookie will not do: browsers send it to every port of this machine. */
const SESSION = 'x-dev-cli-session';

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 429 | 500;

/** Builds the response to a refused request. */
export function buildRefusedResponse(status: Status, code: string, message: string, fix?: string): Response {
  const body: PageError = { error: { code, message, ...(fix !== undefined && { fix }) } };
  return Response.json(body, { status });
}

/** Sets the headers that every response has. */
export const labelAnswers =
  (shell: PageShell): MiddlewareHandler =>
  async (context, next) => {
    await next();
    const { headers } = context.res;
    headers.set('content-security-policy', `${shell.policy("'self'")}; frame-ancestors 'none'`);
    headers.set('cache-control', 'no-store');
    headers.set('referrer-policy', 'no-referrer');
    headers.set('x-content-type-options', 'nosniff');
  };

/** Rejects requests from another site, under another host name, or from a form (view-page.md, Guard). */
export const guardOrigin =
  (host: string): MiddlewareHandler =>
  async ({ req }, next) => {
    if (req.header('host') !== host) return buildRefusedResponse(421, 'USAGE', `This server answers only as ${host}.`);
    const origin = req.header('origin');
    const site = req.header('sec-fetch-site');
    const isOwn = origin === undefined || origin === `http://${host}`;
    if (!isOwn || !['same-origin', 'none', undefined].includes(site))
      return buildRefusedResponse(403, 'USAGE', 'Requests from another site are refused.');
    if (!['GET', 'POST'].includes(req.method))
      return buildRefusedResponse(405, 'USAGE', 'Only GET and POST are allowed.');
    const [type = ''] = (req.header('content-type') ?? '').split(';');
    if (req.method === 'POST' && type.trim().toLowerCase() !== 'application/json')
      return buildRefusedResponse(415, 'USAGE', 'Only application/json is accepted.');
    return next();
  };

/** Rejects bodies of more than 64 kB. */
export const guardSize: MiddlewareHandler = bodyLimit({
  maxSize: MOST,
  onError: () => buildRefusedResponse(413, 'USAGE', `A request may have at most ${MOST} bytes.`),
});

/** Rejects requests without a session. */
export const guardSession =
  (sessions: Sessions): MiddlewareHandler =>
  async ({ req }, next) =>
    sessions.has(req.header(SESSION) ?? '') ? next() : refuseSession();

/** Builds the response to a request without a valid session or ticket. */
export function refuseSession(): Response {
  return buildRefusedResponse(
    401,
    'TERMINAL_REQUIRED',
    'This page has no session.',
    'Press o in the terminal where dev-cli view runs.',
  );
}
