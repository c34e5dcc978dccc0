import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../src/app.js';
import { TodoStore } from '../src/store.js';
import { startApi, tokenFor } from './support.js';

const ROUTES = [
  ['GET', '/todos'],
  ['POST', '/todos'],
  ['PATCH', '/todos/1'],
];

describe('without a token', () => {
  let api;
  before(async () => {
    api = await startApi({ token: null });
    api.store.add('buy milk');
  });
  after(() => api.close());

  for (const [method, path] of ROUTES) {
    it(`${method} ${path} is refused`, async () => {
      assert.equal((await api.request(path, { method })).status, 401);
    });
  }

  it('GET /health answers as before', async () => {
    assert.equal((await api.request('/health')).status, 200);
  });

  it('an outsider does not learn which paths exist', async () => {
    assert.equal((await api.request('/nothing')).status, 401);
    assert.equal((await api.request('/todos', { method: 'DELETE' })).status, 401);
  });

  it('a token in the query string is none', async () => {
    assert.equal((await api.request(`/todos?token=${tokenFor()}`)).status, 401);
  });
});

describe('with a token', () => {
  let api;
  before(async () => {
    api = await startApi();
    api.store.add('buy milk');
  });
  after(() => api.close());

  it('all three routes answer', async () => {
    assert.equal((await api.request('/todos')).status, 200);
    assert.equal((await api.send('POST', '/todos', { title: 'write tests' })).status, 201);
    assert.equal((await api.send('PATCH', '/todos/1', { done: true })).status, 200);
  });

  it('one that has expired is refused', async () => {
    const headers = { authorization: `Bearer ${tokenFor({ exp: 0 })}` };
    assert.equal((await api.request('/todos', { headers })).status, 401);
  });
});

it('an app without a guard lets nobody in', async () => {
  const server = createApp({ store: new TodoStore() });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${server.address().port}/todos`);
  assert.equal(response.status, 401);
  await new Promise((resolve) => server.close(resolve));
});
