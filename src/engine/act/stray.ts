import { foreignLine } from '../../documents/foreign.js';
import { listedBy } from '../../jobs/commit-scope.js';
import type { Turn } from '../../run/turn.js';
import { coveredBy, namedBy } from '../../work/paths.js';
import { engineOf } from './plan.js';

/** Paths named in a warning. */
const NAMED = 10;

/**
 * When the workers of a wave are back: what was changed outside the files of all of them is charged to the todo whose
 * result lists it, and else is a warning (engine.md, Commits). What was changed before the run is nobody's.
 */
export function chargeStray(turn: Turn): void {
  const engine = engineOf(turn);
  const before = turn.state.baseline;
  const rows = engine.wave.flatMap((id) => engine.todos[id] ?? []);
  const working = rows.filter(({ type }) => type === 'work');
  if (before === null || working.some(({ files }) => files.length === 0)) return;
  const tree = turn.tree();
  if (tree === null) return;
  const allowed = coveredBy(working.flatMap(({ files }) => files));
  const stray = Object.entries(tree.dirty).filter(([path, digest]) => {
    const known = [before, ...rows.map(({ id }) => engine.baselines[id] ?? before)];
    return !allowed(path) && known.every(({ dirty }) => !Object.hasOwn(dirty, path) || dirty[path] !== digest);
  });
  const { workTree } = turn.place;
  const claims = rows.map(({ id }) => ({ id, lists: namedBy(listedBy(engine, id, workTree)) }));
  const listedElsewhere = namedBy(engine.order.flatMap((id) => listedBy(engine, id, workTree)));
  const unclaimed: string[] = [];
  for (const [path] of stray) {
    const owner = claims.find(({ lists }) => lists(path));
    if (owner !== undefined) engine.charged[owner.id] = [...new Set([...(engine.charged[owner.id] ?? []), path])];
    // Of a todo that has left the wave: its commit was refused, or it has failed.
    else if (!listedElsewhere(path)) unclaimed.push(path);
  }
  if (unclaimed.length === 0) return;
  const others = turn.others().flatMap(({ todos }) => todos.flatMap(({ files }) => files));
  const isOthers = others.length === 0 ? () => false : coveredBy(others);
  const nobodys = unclaimed.filter((path) => !isOthers(path));
  if (nobodys.length === 0) return;
  const more = nobodys.length > NAMED ? ` and ${nobodys.length - NAMED} more` : '';
  const shown = nobodys.slice(0, NAMED).map((path) => foreignLine(path, 200));
  const line = `changed outside the files of ${rows.map(({ id }) => id).join(', ')}, by nobody who says so: ${shown.join(', ')}${more}`;
  turn.warnings.push(line);
  if (!turn.state.warnings.includes(line)) turn.state.warnings.push(line);
}
