import { HttpError } from './errors.js';

const MAX_TITLE = 200;

/** The body of POST /todos. */
export function newTodo(body) {
  const { title, ...rest } = object(body);
  refuseUnknown(rest);
  return { title: checkedTitle(title) };
}

/** The body of PATCH /todos/:id; at least one field. */
export function todoChanges(body) {
  const { title, done, ...rest } = object(body);
  refuseUnknown(rest);
  const changes = {};
  if (title !== undefined) changes.title = checkedTitle(title);
  if (done !== undefined) {
    if (typeof done !== 'boolean') throw invalid('done must be true or false');
    changes.done = done;
  }
  if (Object.keys(changes).length === 0) throw invalid('nothing to change: give title, done or both');
  return changes;
}

/** The query of GET /todos. */
export function todoFilter(query) {
  const done = query.get('done');
  if (done === null) return {};
  if (done !== 'true' && done !== 'false') throw invalid('done must be true or false');
  return { done: done === 'true' };
}

function object(body) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('the body must be a JSON object');
  return body;
}

function refuseUnknown(rest) {
  const [first] = Object.keys(rest);
  if (first !== undefined) throw invalid(`unknown field ${JSON.stringify(first)}`);
}

function checkedTitle(title) {
  if (typeof title !== 'string' || title.trim() === '') throw invalid('title must be a text that is not blank');
  if (title.length > MAX_TITLE) throw invalid(`title must have at most ${MAX_TITLE} characters`);
  return title.trim();
}

function invalid(message) {
  return new HttpError(400, 'invalid', message);
}
