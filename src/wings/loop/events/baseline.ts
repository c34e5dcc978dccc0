import type { Answer } from '../../../base/answer.js';
import { formatInstant } from '../../../base/clock.js';
import { DevCliError } from '../../../base/errors.js';
import { requireInside } from '../../../project/own-places.js';
import type { Context } from '../../../run/context.js';
import { openLoopBackend } from '../backend.js';
import { type BaselineLimits, computeBaseline, selectWindow } from '../core/baseline.js';
import { buildEvent } from '../core/events.js';
import { readLoopFiles } from '../files.js';
import { createQueue, EVENT_LOG_PATH, flushEvents, readLog } from '../log.js';
import type { AttemptSite, LoopCall, LoopPorts } from '../site.js';
import { LOOP } from '../streams.js';
import { writeFolded } from './write.js';

const REPORT = '.ai/reports/observability_baseline.json';

/** Default and maximum days to evaluate. */
const WINDOW = 14;
const LONGEST = 3650;

interface Asked {
  window?: number | undefined;
  /** Whether the report is written. */
  write: boolean;
  /** Whether the call logs a baseline that is not ready, and then fails. */
  enforce: boolean;
}

/**
 * `observe baseline` (loop-operations.md, The log).
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `USAGE`, `LOCKED`, `STATE_CORRUPT`, `STATE_NEWER`, `IO`
 */
export async function observeBaseline(
  ports: Pick<LoopPorts, 'openFleet'>,
  context: Context,
  asked: Asked,
  call: LoopCall,
): Promise<Answer> {
  const days = asked.window ?? WINDOW;
  if (days < 1 || days > LONGEST) {
    throw new DevCliError('USAGE', `--window takes a number of days from 1 to ${LONGEST}.`, {
      fix: `Leave it out for ${WINDOW} days.`,
    });
  }
  const { config } = readLoopFiles(context);
  const { streams } = await openLoopBackend(ports, context, call);
  const { skipped, ...window } = selectWindow(readLog(context), days, context.clock.now());
  const baseline = computeBaseline(window, config.observe);
  const report = { window_days: days, skipped, baseline, report_path: asked.write ? REPORT : null };
  if (asked.write) {
    await writeFolded(context, [{ path: REPORT, content: `${JSON.stringify(report, null, 2)}\n` }]);
  }
  const isBlocked = asked.enforce && !baseline.baseline_ready;
  if (isBlocked) await tellBlocked({ context, streams }, { window_days: days, ...baseline });
  return {
    exit: isBlocked ? 3 : 0,
    json: { ok: !isBlocked, ...report },
    text: () => renderText(report, config.observe),
  };
}

type Baseline = ReturnType<typeof computeBaseline>;

/** Logs that the baseline is not ready; the event becomes an inbox item. */
async function tellBlocked(
  { context, streams }: Pick<AttemptSite, 'context' | 'streams'>,
  payload: Baseline & { window_days: number },
): Promise<void> {
  requireInside(context.root, EVENT_LOG_PATH);
  const key = `${formatInstant(context.clock.now())}-${context.ids.hex(4)}`;
  await streams.transact(LOOP, (state, at) => {
    const event = buildEvent('orchestrate_cycle_blocked', { key, at, payload });
    return {
      answer: undefined,
      state: { ...state, unsent: [...state.unsent, event] },
      entry: { type: 'baseline-blocked', data: { guards: [...payload.failing_guards] } },
    };
  });
  await flushEvents({ streams, context }, createQueue());
}

function renderText(
  report: { window_days: number; skipped: number; baseline: Baseline; report_path: string | null },
  guards: BaselineLimits,
): string {
  const { baseline_ready: ready, failing_guards: failing, ...figures } = report.baseline;
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  return [
    `Days: ${report.window_days}; lines of the log skipped: ${report.skipped}.`,
    ...Object.entries(figures).map(([name, figure]) => `  ${name.padEnd(width)}  ${figure ?? 'none'}`),
    `Guards: ${Object.entries(guards)
      .map(([name, bound]) => `${name} ${bound}`)
      .join(', ')}.`,
    ready ? 'The baseline is ready.' : `The baseline is not ready: ${failing.join(', ')}.`,
    ...(report.report_path === null ? [] : [`written  ${report.report_path}`]),
  ].join('\n');
}
