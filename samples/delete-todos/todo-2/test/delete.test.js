import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi } from './support.js';

describe('DELETE', () => {
  let api;
  const remove = (path) => api.request(path, { method: 'DELETE' });
  before(async () => {
    api = await startApi();
    for (const title of ['one', 'two', 'three']) await api.send('POST', '/todos', { title });
  });
  after(() => api.close());

  it('removes a to-do and answers 204 without a body', async () => {
    const response = await remove('/todos/1');
    assert.equal(response.status, 204);
    assert.equal(await response.text(), '');
  });

  it('answers 404 for one that is gone, or never was', async () => {
    for (const id of ['1', '99', 'x']) assert.equal((await remove(`/todos/${id}`)).status, 404);
  });

  it('removes all that are done, and says how many', async () => {
    await api.send('PATCH', '/todos/2', { done: true });
    const response = await remove('/todos?done=true');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { removed: 1 });
  });

  it('never removes open ones at once', async () => {
    for (const query of ['', '?done=false', '?done=maybe']) assert.equal((await remove(`/todos${query}`)).status, 400);
    assert.deepEqual(
      api.store.list().map(({ title }) => title),
      ['three'],
    );
  });

  it('does not give an id again', async () => {
    const response = await api.send('POST', '/todos', { title: 'four' });
    assert.equal((await response.json()).id, 4);
  });
});
