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
        const todo = store.change(Number(params.id), todoChanges(body));
        if (todo === undefined) throw new HttpError(404, 'not_found', `there is no to-do ${params.id}`);
        return { status: 200, body: todo };
      },
    },
    {
      method: 'DELETE',
      path: '/todos/:id',
      handle: ({ params }) => {
        if (!store.remove(Number(params.id))) throw new HttpError(404, 'not_found', `there is no to-do ${params.id}`);
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path: '/todos',
      handle: ({ query }) => {
        if (todoFilter(query).done !== true) {
          throw new HttpError(400, 'invalid', 'done=true is wanted: only done to-dos are removed at once');
        }
        return { status: 200, body: { removed: store.removeDone() } };
      },
    },
  ];
}
