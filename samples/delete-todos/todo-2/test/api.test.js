import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi } from './support.js';

describe('the API', () => {
  let api;
  before(async () => {
    api = await startApi({ bodyLimit: 500 });
  });
  after(() => api.close());

  it('says that it is up', async () => {
    const response = await api.request('/health');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'up' });
  });

  it('adds a to-do and says where it is', async () => {
    const response = await api.send('POST', '/todos', { title: '  buy milk ' });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('location'), '/todos/1');
    assert.deepEqual(await response.json(), {
      id: 1,
      title: 'buy milk',
      done: false,
      createdAt: '2026-01-02T03:04:05.000Z',
    });
  });

  it('changes a to-do and lists by state, oldest first', async () => {
    await api.send('POST', '/todos', { title: 'write tests' });
    const changed = await api.send('PATCH', '/todos/1', { done: true });
    assert.equal((await changed.json()).done, true);
    const titles = async (query) =>
      (await (await api.request(`/todos${query}`)).json()).todos.map((todo) => todo.title);
    assert.deepEqual(await titles(''), ['buy milk', 'write tests']);
    assert.deepEqual(await titles('?done=true'), ['buy milk']);
    assert.deepEqual(await titles('?done=false'), ['write tests']);
  });

  it('answers 404 for a to-do that is not there', async () => {
    const response = await api.send('PATCH', '/todos/99', { done: true });
    assert.equal(response.status, 404);
    assert.equal((await response.json()).error.code, 'not_found');
  });

  for (const [what, method, path, body] of [
    ['a blank title', 'POST', '/todos', { title: '   ' }],
    ['a title of 201 characters', 'POST', '/todos', { title: 'x'.repeat(201) }],
    ['an unknown field', 'POST', '/todos', { title: 'x', owner: 'me' }],
    ['a body that is a list', 'POST', '/todos', []],
    ['a change of nothing', 'PATCH', '/todos/1', {}],
    ['done that is a text', 'PATCH', '/todos/1', { done: 'yes' }],
  ]) {
    it(`refuses ${what}`, async () => {
      const response = await api.send(method, path, body);
      assert.equal(response.status, 400);
      assert.equal((await response.json()).error.code, 'invalid');
    });
  }

  it('refuses a filter that is neither true nor false', async () => {
    assert.equal((await api.request('/todos?done=maybe')).status, 400);
  });

  it('refuses text that is not JSON, and JSON sent as something else', async () => {
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
    assert.equal((await api.request('/todos', json)).status, 400);
    assert.equal((await api.request('/todos', { method: 'POST', body: '{"title":"x"}' })).status, 415);
  });

  it('refuses a body over the limit', async () => {
    assert.equal((await api.send('POST', '/todos', { title: 'x'.repeat(600) })).status, 413);
  });

  it('tells an unknown path from a wrong method', async () => {
    assert.equal((await api.request('/nothing')).status, 404);
    assert.equal((await api.request('/todos', { method: 'PUT' })).status, 405);
  });
});
