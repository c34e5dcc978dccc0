import { expect, it } from 'vitest';
import { queryRows } from '../../../src/wings/fleet/database.js';
import { holdDesk, isDesk, isDeskHeld, requireDesk } from '../../../src/wings/fleet/desk.js';
import { requireSameRepository } from '../../../src/wings/fleet/schema.js';
import { nameProject, useDatabase } from './shared.js';

// Which root is the desk of a project (fleet.md, Leases).

const shared = useDatabase();

/** Opens a project with two roots that both want to be its desk. */
async function open() {
  const project = nameProject();
  await requireSameRepository(shared.pool, project, 'aaaa', { registers: true });
  const [here, there] = [
    { project, desk: 'm1-111111:/api' },
    { project, desk: 'm1-222222:/api' },
  ];
  const pass = (seconds: number) =>
    queryRows(
      shared.pool,
      'UPDATE dev_cli.projects SET desk_until = desk_until - make_interval(secs => $2) WHERE project = $1',
      [project, seconds],
    );
  return { project, here, there, pass };
}

const LOCKED = { code: 'LOCKED' };

it('is one root at a time, also where two have one path, and the same one again at once', async () => {
  const { project, here, there } = await open();
  expect([await isDesk(shared.pool, there), await isDeskHeld(shared.pool, project)]).toEqual([true, false]);
  const leave = await holdDesk(shared.pool, here);
  await expect(holdDesk(shared.pool, there)).rejects.toMatchObject({
    ...LOCKED,
    details: [{ target: here.desk, problem: expect.stringContaining('is its desk until') }],
  });
  const again = await holdDesk(shared.pool, here);
  expect([await isDesk(shared.pool, here), await isDesk(shared.pool, there)]).toEqual([true, false]);
  await again();
  expect(await isDeskHeld(shared.pool, project)).toBe(false);
  const leaveThere = await holdDesk(shared.pool, there);
  await leave();
  expect(await isDeskHeld(shared.pool, project)).toBe(true);
  await leaveThere();
});

it('goes on after a pause, unless another root has been the desk since', async () => {
  const { here, there, pass } = await open();
  const leave = await holdDesk(shared.pool, here);
  await pass(90);
  await requireDesk(shared.pool, here);
  await expect(holdDesk(shared.pool, there)).rejects.toMatchObject(LOCKED);
  await pass(90);
  const leaveThere = await holdDesk(shared.pool, there);
  await expect(requireDesk(shared.pool, here)).rejects.toMatchObject(LOCKED);
  // `there` has left the desk, but `here` does not know what it settled, so `here` must first become the desk again.
  await leaveThere();
  await expect(requireDesk(shared.pool, here)).rejects.toMatchObject(LOCKED);
  await leave();
  await (await holdDesk(shared.pool, here))();
});
