import { createApp } from '../src/app.js';
import { TodoStore } from '../src/store.js';

/** Starts the API on a free port with a clock that stands still. */
export async function startApi(options = {}) {
  const store = new TodoStore(() => new Date('2026-01-02T03:04:05.000Z'));
  const server = createApp({ store, ...options });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  return {
    store,
    request: (path, init) => fetch(base + path, init),
    send: (method, path, body) =>
      fetch(base + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
