import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TodoStore } from '../src/store.js';

describe('removing from the store', () => {
  it('takes one to-do, once', () => {
    const store = new TodoStore();
    store.add('buy milk');
    assert.equal(store.remove(1), true);
    assert.equal(store.remove(1), false);
    assert.deepEqual(store.list(), []);
  });

  it('takes all that are done and leaves the others', () => {
    const store = new TodoStore();
    for (const title of ['one', 'two', 'three']) store.add(title);
    store.change(1, { done: true });
    store.change(3, { done: true });
    assert.equal(store.removeDone(), 2);
    assert.equal(store.removeDone(), 0);
    assert.deepEqual(
      store.list().map(({ title }) => title),
      ['two'],
    );
  });

  it('never gives an id again', () => {
    const store = new TodoStore();
    store.add('one');
    store.remove(1);
    assert.equal(store.add('two').id, 2);
  });
});
