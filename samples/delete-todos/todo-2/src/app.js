import { createServer } from 'node:http';
import { HttpError } from './errors.js';
import { routes } from './routes.js';

/**
 * Makes the HTTP server; the caller listens and closes.
 * @param {{ store: import('./store.js').TodoStore, bodyLimit?: number, log?: (line: string) => void }} options
 */
export function createApp({ store, bodyLimit = 10_000, log = () => {} }) {
  const table = routes(store);
  return createServer(async (request, response) => {
    try {
      send(response, await respond(table, request, bodyLimit));
    } catch (error) {
      if (!(error instanceof HttpError)) log(`${request.method} ${request.url}: ${error.stack}`);
      const known = error instanceof HttpError ? error : new HttpError(500, 'internal', 'something went wrong here');
      send(response, { status: known.status, body: { error: { code: known.code, message: known.message } } });
    }
  });
}

/** Methods whose requests carry nothing. */
const BODILESS = ['GET', 'DELETE'];

async function respond(table, request, bodyLimit) {
  const url = new URL(request.url, 'http://localhost');
  const { route, params } = find(table, request.method, url.pathname);
  const body = BODILESS.includes(request.method) ? undefined : await readJson(request, bodyLimit);
  return route.handle({ params, query: url.searchParams, body });
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
  if (body === undefined) {
    response.writeHead(status, headers);
    response.end();
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
