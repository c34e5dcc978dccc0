import { createServer } from 'node:http';
import { HttpError } from './errors.js';
import { routes } from './routes.js';

/**
 * Makes the HTTP server; the caller listens and closes.
 * Whoever asks for a route that is not public is shown to `guard` first: before routing, so that outsiders learn of no path, and
 * before the body is read. Without a guard nobody is let in.
 * @param {{ store: import('./store.js').TodoStore, guard?: (request: import('node:http').IncomingMessage) => unknown, bodyLimit?: number, log?: (line: string) => void }} options
 */
export function createApp({ store, guard = nobody, bodyLimit = 10_000, log = () => {} }) {
  const table = routes(store);
  return createServer(async (request, response) => {
    try {
      send(response, await respond(table, request, guard, bodyLimit));
    } catch (error) {
      if (!(error instanceof HttpError)) log(`${request.method} ${request.url}: ${error.stack}`);
      const known = error instanceof HttpError ? error : new HttpError(500, 'internal', 'something went wrong here');
      const { status, code, message, headers } = known;
      send(response, { status, body: { error: { code, message } }, headers });
    }
  });
}

async function respond(table, request, guard, bodyLimit) {
  const url = new URL(request.url, 'http://localhost');
  const caller = isPublic(table, request.method, url.pathname) ? null : guard(request);
  const { route, params } = find(table, request.method, url.pathname);
  const body = request.method === 'GET' ? undefined : await readJson(request, bodyLimit);
  return route.handle({ params, query: url.searchParams, body, caller });
}

function isPublic(table, method, pathname) {
  return table.some(
    (route) => route.access === 'public' && route.method === method && match(route.path, pathname) !== null,
  );
}

function nobody() {
  throw new HttpError(401, 'unauthenticated', 'nobody is let in here yet');
}

function find(table, method, pathname) {
  let known = false;
  for (const route of table) {
    const params = match(route.path, pathname);
    if (params === null) continue;
    if (route.method === method) return { route, params };
    known = true;
  }
  if (known) throw new HttpError(405, 'method_not_allowed', `${method} is not allowed here`);
  throw new HttpError(404, 'not_found', 'there is nothing here');
}

function match(path, pathname) {
  const wanted = path.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return null;
  const params = {};
  for (const [index, segment] of wanted.entries()) {
    if (segment.startsWith(':')) params[segment.slice(1)] = given[index];
    else if (segment !== given[index]) return null;
  }
  return params;
}

async function readJson(request, bodyLimit) {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new HttpError(415, 'unsupported_media_type', 'send application/json');
  }
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bodyLimit) throw new HttpError(413, 'too_large', `the body has more than ${bodyLimit} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new HttpError(400, 'invalid', 'the body is not JSON');
  }
}

function send(response, { status, body, headers = {} }) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
