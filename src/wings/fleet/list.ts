import type { Answer } from '../../base/answer.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { Context } from '../../run/context.js';
import { openShared } from './backend.js';
import { listWorkers } from './beat.js';
import { type Pool, queryRows } from './database.js';
import type { FleetCall } from './ports.js';

/** `fleet list` (fleet.md, Commands): shows the workers, the goals at work, and the attempts that no worker may take. */

/** A goal on which a worker has a lease. */
interface AtWork {
  project: string;
  goal: string;
  worker: string;
  expires: Date;
}

/** Lists the fleet. @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION`, `IO` */
export async function listFleet(context: Context, call: FleetCall): Promise<Answer> {
  const { pool } = await openShared(context, call);
  const [workers, atWork, begun] = await Promise.all([
    listWorkers(pool),
    listAtWork(pool),
    queryRows<{ project: string }>(pool, 'SELECT project FROM dev_cli.projects'),
  ]);
  const rows = workers.map(({ started, projects, passed: _, ...row }) => ({
    ...row,
    started_at: started.toISOString(),
    projects: projects.map(({ project }) => project),
    at_work: atWork
      .filter(({ worker }) => worker === row.worker)
      .map(({ project, goal, expires }) => ({ project, goal, expires_at: expires.toISOString() })),
  }));
  const served = new Set(rows.flatMap(({ projects }) => projects));
  for (const { project } of begun) served.delete(project);
  const waiting = [
    ...[...served].map((project) => ({ project, attempt: null, reason: 'no desk of this project has started yet' })),
    ...listPassed(workers.map(({ passed }) => passed)),
  ];
  return {
    exit: 0,
    json: { ok: true, workers: rows, waiting },
    text: () =>
      [
        ...(rows.length === 0 ? ['No worker is running: start one with dev-cli fleet worker.'] : []),
        ...rows.flatMap(({ worker, silent, slots, projects, at_work, cli_version: version }) => [
          `${worker}: ${at_work.length} of ${slots} slots, for ${projects.join(', ')} (dev-cli ${version}, last heard of ${silent} s ago)`,
          ...at_work.map(({ project, goal }) => `  ${project}: ${goal}`),
        ]),
        ...waiting.map(
          ({ project, attempt, reason }) => `waiting: ${[project, attempt ?? [], reason].flat().join(': ')}`,
        ),
      ]
        .map((line) => `${/^ */.exec(line)?.[0]}${toBoundedLine(line, 600)}`)
        .join('\n'),
  };
}

/** Lists the attempts that workers do not accept, each once, with a reason. */
function listPassed(seen: readonly Record<string, Record<string, string>>[]) {
  const all = seen.flatMap((by) =>
    Object.entries(by).flatMap(([project, passed]) =>
      // The empty name stands for all attempts of the project.
      Object.entries(passed).map(([attempt, reason]) => ({ project, attempt: attempt || null, reason })),
    ),
  );
  const key = ({ project, attempt }: (typeof all)[number]): string => `${project}:${attempt}`;
  return [...new Map(all.map((one) => [key(one), one])).values()];
}

function listAtWork(pool: Pool): Promise<AtWork[]> {
  return queryRows<AtWork>(
    pool,
    `SELECT project, goal, worker, expires FROM dev_cli.leases
     WHERE status = 'active' AND expires > clock_timestamp() ORDER BY project, goal`,
  );
}
