import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { ReadContext } from '../../run/context.js';
import { buildRow, type RunList, type RunListRow, renderList } from '../../views/list.js';
import { FIRST_RUN } from '../find/find-run.js';

/**
 * `list`: shows every run of this root, and whom or what each waits for (protocol.md §5). An unreadable run is listed
 * with its error code.
 */
export async function showRunList({ store, clock }: ReadContext): Promise<Answer & { json: RunList }> {
  const runs: RunListRow[] = [];
  for (const name of await store.streams()) {
    try {
      const { snapshot } = await store.read(name);
      if (snapshot !== null) runs.push(buildRow(snapshot));
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      runs.push({ name, skill: '', recipe: '', state: error.code, where: '', waitsFor: '', updated: '' });
    }
  }
  const active = await store.active();
  const options = { active, now: clock.now(), first: FIRST_RUN };
  return { exit: 0, json: { runs, active }, text: (format) => renderList(runs, options, format) };
}
