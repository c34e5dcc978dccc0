import type { Screen } from '../../base/screen.js';
import { findRun, readRun } from '../../protocol/find/find-run.js';
import { createBell } from '../../protocol/questions/bell.js';
import { createNotifier } from '../../protocol/questions/notifier.js';
import { openTimeline, type TimelineNow } from '../../protocol/questions/timeline.js';
import { createRestoredView } from '../../run/documents/lost.js';
import { FIRST, findSelectedIndex, pressKey } from '../../views/frames/cursor.js';
import { listShownRows, renderRunFrame } from '../../views/frames/run.js';
import { buildRunModel, type RunModel } from '../../views/frames/run-model.js';
import { countPage } from '../../views/frames/shell.js';
import { createContext } from '../context.js';
import type { CallEnvironment } from '../environment.js';
import { findDiff, findLog, findText } from './documents.js';

/**
 * A run is read again after this many milliseconds even if its journal has not grown, since files may have vanished.
 */
const WAIT = 60_000;

/**
 * Opens the screen of a run (view.md, Run screen); takes no lock, and writes nothing.
 * @param given the run's name; undefined means the run that `status` would show
 * @throws DevCliError `NO_SUCH_RUN`, `NO_ACTIVE_RUN`, and whatever the store throws
 */
export async function openRun(environment: CallEnvironment, given: unknown): Promise<Screen> {
  const context = createRestoredView(createContext(environment, 'status'));
  const { clock, root } = context;
  const name = await findRun(context, given, false);
  await readRun(context, name);
  const timeline = openTimeline(context, name);
  const notifier = createNotifier(context);
  const bell = createBell(notifier);
  let cursor = FIRST;
  let notice: string | null = null;
  let now = clock.now();
  let read: TimelineNow | null = null;
  let model: RunModel | null = null;
  const rows = () => (model === null ? [] : listShownRows(model, cursor));
  const chosen = () => rows()[findSelectedIndex(cursor, rows())];
  // An open question does not count: its growing age is no reason to redraw the screen.
  const isBusy = () => model?.isLive === true && model.rows.some(({ state }) => state === 'running');
  const screen: Screen = {
    async read() {
      read = await timeline.read();
      now = clock.now();
      if (read === null) return [];
      model = buildRunModel(name, read, now);
      const rung = read.head === null ? null : bell.hear(read.head.snapshot);
      const [report] = notifier.takeReports();
      if (report !== undefined) notice = report;
      return rung === null ? [] : [rung];
    },
    changed: (signal) => timeline.grown(WAIT, signal),
    isBusy,
    frame(size) {
      if (isBusy()) now = clock.now();
      return model === null ? [] : renderRunFrame(model, size, cursor, { now, notice });
    },
    press(key, size) {
      now = clock.now();
      const shown = rows().map(({ id, title }) => ({ id, text: `${id} ${title}` }));
      const isHeld = model?.isLive === true ? model.isHeld : null;
      const { wish, ...pressed } = pressKey(cursor, key, { on: 'run', rows: shown, page: countPage(size), isHeld });
      ({ cursor, notice } = pressed);
      return wish;
    },
    tell(line) {
      notice = line;
    },
    place: () => ({ name, root }),
    async find(document) {
      if (document === 'diff') return findDiff(context, chosen());
      if (document !== 'log') return findText(context, name, document);
      return findLog(context, { name, state: read?.head?.snapshot ?? null, row: chosen() });
    },
    close: () => notifier.stop(),
  };
  await screen.read();
  return screen;
}
