import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import type { ReadContext } from '../run/context.js';
import { listText, type Row, rowOf, unreadableRow } from '../views/list.js';
import { FIRST_RUN } from './find-run.js';

/** `list`: every run of this root with what it waits for. A run that cannot be read is shown as such. */
export async function list({ store, clock }: ReadContext): Promise<Answer> {
  const runs: Row[] = [];
  for (const name of await store.streams()) {
    try {
      const { snapshot } = await store.read(name);
      if (snapshot !== null) runs.push(rowOf(snapshot));
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      runs.push(unreadableRow(name, error.code));
    }
  }
  const active = await store.active();
  const options = { active, now: clock.now(), first: FIRST_RUN };
  return { exit: 0, json: { runs, active }, text: (written) => listText(runs, options, written) };
}
