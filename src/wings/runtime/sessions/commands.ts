import { resolve } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { parseOrNull } from '../../../base/json.js';
import publishedOutline from '../../../generated/runtime-published-outline.js';
import type { Handler } from '../../../protocol/ports.js';
import type { InputIn } from '../../../registry/spec.js';
import type { Context } from '../../../run/context.js';
import { compactSession } from '../converse.js';
import { MIN_KEPT_MESSAGES } from '../core/compaction.js';
import { fromPublished, toPublished } from '../core/published.js';
import { formatCost, formatUsage } from '../core/usage.js';
import type { RUNTIME_SPECS } from '../specs.js';
import { findSession, listSessions, sumSessionUsage } from './find.js';
import { countUnanswered, openHistory, takeSession } from './session.js';
import type { SessionState } from './state-schema.js';

type Input<Name> = InputIn<typeof RUNTIME_SPECS, Name>;

/**
 * `session list`: lists the usage of each session, the most recent first, and the sum.
 * @param run lists only sessions of this run
 * @throws DevCliError `IO`
 */
export async function listSessionsCommand(context: Context, run: string | undefined): Promise<Answer> {
  const { sessions, warnings } = await listSessions(context);
  const shown = sessions.filter(({ work }) => run === undefined || work?.run === run);
  const { usage, cost } = sumSessionUsage(shown);
  const rows = shown.map(
    ({ id, kind, work, model, at, closed, messages, requests, unanswered, asking, usage: used, cost: price }) => ({
      ...{ id, kind, ...(work === null ? {} : { run: work.run, action: work.action }), model, at, closed, messages },
      ...{ requests, unanswered: countUnanswered({ unanswered, asking }), usage: used, cost: price },
    }),
  );
  return {
    exit: 0,
    json: { ok: true, sessions: rows, usage, cost, ...(warnings.length > 0 && { warnings }) },
    text: () => {
      const lines = rows.map(
        (row) => `${row.id}  ${row.at}  ${row.requests} requests  ${formatUsage(row.usage)}  ${formatCost(row.cost)}`,
      );
      const sum = rows.length === 0 ? 'There are no sessions yet.' : `sum: ${formatUsage(usage)}, ${formatCost(cost)}`;
      return [...lines, sum, ...warnings.map((line) => `warning: ${line}`)].join('\n');
    },
  };
}

/** `session compact`: shortens a session's history. @throws DevCliError `NO_SUCH_SESSION`, `LOCKED`, `IO` */
export const compactSessionCommand: Handler<Input<'session compact'>> = async (context, { session: given, keep }) => {
  const session = await takeSession(context, await findSession(context, given), context.caller);
  try {
    const { removed } = await compactSession(session, { keep: keep ?? MIN_KEPT_MESSAGES });
    const json = { ok: true, session: session.id, removed_message_count: removed, messages: session.messages.length };
    return { exit: 0, json, text: () => `${session.id}: a summary replaces ${removed} messages.` };
  } finally {
    session.release();
  }
};

/** `session export`: prints the messages in the published form. @throws DevCliError `NO_SUCH_SESSION`, `IO` */
export async function exportSession(context: Context, given: string): Promise<Answer> {
  const messages = await openHistory(context, await findSession(context, given));
  return { exit: 0, json: toPublished(messages), recorded: true };
}

/**
 * `session import`: begins a session with exported messages.
 * @throws DevCliError `DATA_MISSING`; `SCHEMA_INVALID`, naming each fault by its JSON pointer; `STATE_NEWER`, `IO`
 */
export const importSession: Handler<Input<'session import'>> = async (context, { file }, { cwd }) => {
  const text = context.reader.read(resolve(cwd, file));
  if (text === null) {
    throw new DevCliError('DATA_MISSING', `${file} does not exist.`, {
      fix: 'Name a file with the output of `session export`.',
    });
  }
  const read = fromPublished(parseOrNull(text), publishedOutline);
  if ('faults' in read) {
    const details = read.faults.map(({ pointer, problem }) => ({ pointer, problem }));
    throw new DevCliError('SCHEMA_INVALID', `${file} is not a valid session in the published form.`, {
      details,
      fix: 'Fix what `details` lists, then repeat the same call.',
    });
  }
  const opening = { id: `imported-${context.ids.hex(10)}`, kind: 'prompt', work: null, model: '' } satisfies Pick<
    SessionState,
    'id' | 'kind' | 'work' | 'model'
  >;
  const session = await takeSession(context, opening, context.caller);
  try {
    await session.commit([{ type: 'compacted', messages: read.messages, removed: 0 }]);
    const json = { ok: true, session: session.id, messages: read.messages.length };
    return {
      exit: 0,
      json,
      text: () =>
        `${session.id}: ${read.messages.length} messages. Continue it with \`dev-cli prompt --session ${session.id}\`.`,
    };
  } finally {
    session.release();
  }
};
