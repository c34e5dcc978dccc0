import { HttpError } from './errors.js';
import { newTodo, todoChanges, todoFilter } from './validate.js';

/**
 * The route table. `:name` in a path matches one segment.
 * @param {import('./store.js').TodoStore} store
 */
export function routes(store) {
  return [
    { method: 'GET', path: '/health', handle: () => ({ status: 200, body: { status: 'up' } }) },
    {
      method: 'GET',
      path: '/todos',
      handle: ({ query }) => ({ status: 200, body: { todos: store.list(todoFilter(query)) } }),
    },
    {
      method: 'POST',
      path: '/todos',
      handle: ({ body }) => {
        const todo = store.add(newTodo(body).title);
        return { status: 201, body: todo, headers: { location: `/todos/${todo.id}` } };
      },
    },
    {
      method: 'PATCH',
      path: '/todos/:id',
      handle: ({ params, body }) => {
        const todo = store.change(todoId(params.id), todoChanges(body));
        if (todo === undefined) throw new HttpError(404, 'not_found', `there is no to-do ${params.id}`);
        return { status: 200, body: todo };
      },
    },
  ];
}

/** An id as it is handed out; any other spelling of a number names no to-do. */
function todoId(text) {
  return /^[1-9][0-9]*$/.test(text) ? Number(text) : undefined;
}
