import { join } from 'node:path';
import type { DocumentName, PagerDocument } from '../../base/screen.js';
import { readRun } from '../../protocol/find/find-run.js';
import type { ReadContext } from '../../run/context.js';
import { getRunDirectory, PLAN, REPORT } from '../../run/paths.js';
import type { RunState } from '../../run/state.js';
import type { TimelineRow } from '../../views/timeline-rows.js';
import { showCommit } from '../../work/show-commit.js';

/** Finds the plan or the report of a run. @throws DevCliError whatever reading the run throws */
export async function findText(context: ReadContext, name: string, document: DocumentName): Promise<PagerDocument> {
  if (document !== 'plan' && document !== 'report') return { none: `Open the run to see its ${document}.` };
  const { files } = await readRun(context, name);
  const content = files.read(document === 'plan' ? PLAN : REPORT);
  return content === null ? { none: `There is no ${document} yet.` } : { text: content.toString('utf8') };
}

/** Finds the diff of a row's commit. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
export async function findDiff({ root, signal }: ReadContext, row: TimelineRow | undefined): Promise<PagerDocument> {
  if (row?.commit == null) return { none: 'It has no commit.' };
  return { text: await showCommit(root, row.commit, signal) };
}

/** The name of the file that holds a command's output. */
const LOG = 'command.log';

/** Finds the log of a row: that of the running command, or else the newest. @throws DevCliError `IO` */
export async function findLog(
  context: ReadContext,
  { name, state, row }: { name: string; state: RunState | null; row: TimelineRow | undefined },
): Promise<PagerDocument> {
  const out = row?.segments.filter(({ to, who }) => to === null && who === 'commands') ?? [];
  const commands = Object.values(state?.commands ?? {});
  const at = out.length === 0 ? undefined : commands.at(-1);
  if (at !== undefined) return { growing: join(context.root, getRunDirectory(name), at.directory, LOG) };
  const paths = (row?.segments ?? []).flatMap(({ documents }) => documents.map(({ path }) => path));
  const path = paths.findLast((one) => one.endsWith('.log'));
  if (path === undefined) return { none: 'It has no log.' };
  const content = (await readRun(context, name)).files.read(path);
  return content === null ? { none: 'Its log no longer exists.' } : { text: content.toString('utf8') };
}
