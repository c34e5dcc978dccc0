import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi } from './support.js';

describe('an id', () => {
  let api;
  before(async () => {
    api = await startApi();
    await api.send('POST', '/todos', { title: 'buy milk' });
  });
  after(() => api.close());

  it('names a to-do as it was handed out', async () => {
    assert.equal((await api.send('PATCH', '/todos/1', { done: false })).status, 200);
  });

  for (const spelling of ['0x1', '1.0', '1e0', '01', '+1', '%201', '1%20']) {
    it(`spelled ${spelling} names none`, async () => {
      const response = await api.send('PATCH', `/todos/${spelling}`, { done: true });
      assert.equal(response.status, 404);
      assert.equal((await response.json()).error.code, 'not_found');
      assert.equal(api.store.list()[0].done, false);
    });
  }
});
