/**
 * @typedef {{ id: number, title: string, done: boolean, createdAt: string }} Todo
 */

/** Keeps to-dos in memory, in the order in which they were added. */
export class TodoStore {
  #todos = new Map();
  #lastId = 0;
  #now;

  /** @param {() => Date} [now] the clock */
  constructor(now = () => new Date()) {
    this.#now = now;
  }

  /** @returns {Todo[]} copies, oldest first */
  list({ done } = {}) {
    const all = [...this.#todos.values()];
    return (done === undefined ? all : all.filter((todo) => todo.done === done)).map((todo) => ({ ...todo }));
  }

  /** @returns {Todo} */
  add(title) {
    this.#lastId += 1;
    const todo = { id: this.#lastId, title, done: false, createdAt: this.#now().toISOString() };
    this.#todos.set(todo.id, todo);
    return { ...todo };
  }

  /** @returns {Todo | undefined} undefined when there is no such to-do */
  change(id, changes) {
    const todo = this.#todos.get(id);
    if (todo === undefined) return undefined;
    Object.assign(todo, changes);
    return { ...todo };
  }

  /** @returns {boolean} whether there was such a to-do */
  remove(id) {
    return this.#todos.delete(id);
  }

  /** @returns {number} how many were done, and are gone */
  removeDone() {
    const done = this.list({ done: true });
    for (const { id } of done) this.#todos.delete(id);
    return done.length;
  }
}
