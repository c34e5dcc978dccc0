import { expect, it } from 'vitest';
import { PLAIN_BLOCK } from '../../support/tiny.js';
import { stage } from './stage.js';

it('a run that a goal began keeps which, is what it was when it is resumed, and never becomes the active one', async () => {
  const text = `name: tiny\ntype: sequential\nskill: specify\nmode: { depth: quick, interaction: interactive }\nblocks:${PLAIN_BLOCK}`;
  const one = stage({ recipes: { tiny: text } });
  const origin = { kind: 'goal', id: 'G1', attempt: 2 };
  const begun = await one.init('tiny', { origin });
  expect(begun).toMatchObject({ ok: true, json: { status: 'initialized' } });
  expect((await one.state()).origin).toEqual(origin);
  expect(await one.init('tiny')).toMatchObject({ ok: true, json: { status: 'resumed' } });
  expect((await one.state()).origin).toEqual(origin);
  expect(await one.store.active()).toBeNull();
});
