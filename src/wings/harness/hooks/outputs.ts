import type { ErrorDetail } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { readResult } from '../../../engine/act/results/results.js';
import { HIDES_WRITER } from '../../../generated/harness-events.js';
import type { HookEvent, WithPorts } from '../../../protocol/ports.js';
import { judgeFile } from '../../../protocol/questions/check.js';
import type { Context } from '../../../run/context.js';
import { displayPath, getRunDirectory } from '../../../run/paths.js';
import type { RunState } from '../../../run/state.js';
import { transact } from '../../../run/transact.js';
import { recordEntry } from '../../../run/transaction.js';
import { findJudgingRun } from '../guard/judging-run.js';
import { listPromised, type PromisedFile } from '../guard/promised.js';
import { resolveCall } from '../guard/writes.js';

/**
 * As soon as an agent has written a file that the pending action expects, checks that file (harness.md, Promised
 * outputs).
 */

type ToolUse = Extract<HookEvent, { on: 'post-tool-use' }>;

/** Maximum number of findings shown; the acknowledgement shows all. */
const TOLD = 5;

/**
 * Checks the promised files that a call has written, as the acknowledgement will, and records who wrote the outputs of
 * subagents.
 * @returns the text for the agent; null if nothing is wrong
 */
export async function lookAtOutputs(context: Context & WithPorts, event: ToolUse): Promise<string | null> {
  const paths = (resolveCall(event, context) ?? []).flatMap((write) => (write === 'history' ? [] : write.inRoot));
  if (paths.length === 0) return null;
  const head = await findJudgingRun(context, event.session);
  if (head === null) return null;
  const { snapshot } = head;
  const written = listPromised(snapshot, context).filter(({ path }) => paths.includes(toRootPath(snapshot, path)));
  const told: string[] = [];
  for (const file of written) {
    await recordWriter(context, snapshot, file, event);
    const problems = await judge(context, snapshot, file);
    const shown = displayPath(context, snapshot.name, file.path);
    told.push(...problems.map(({ pointer, problem }) => toBoundedLine(`${shown}: ${pointer ?? ''} ${problem}`, 400)));
  }
  if (told.length === 0) return null;
  const more = told.length > TOLD ? [`and ${told.length - TOLD} more`] : [];
  return ['dev-cli: what you wrote would be refused; fix it now.', ...told.slice(0, TOLD), ...more].join('\n');
}

function toRootPath({ name }: RunState, path: string): string {
  return path.startsWith('/') ? path.slice(1) : `${getRunDirectory(name)}/${path}`;
}

async function judge(
  context: Context & WithPorts,
  state: RunState,
  { path }: PromisedFile,
): Promise<readonly ErrorDetail[]> {
  const [actionId, task] = findTask(state, path);
  if (task === undefined) return (await judgeFile(context, toRootPath(state, path), context.root)).problems;
  return transact(context, state.name, (tx) => {
    const result = readResult(tx, actionId, task);
    return result.kind === 'refused' ? result.problems : [];
  });
}

/** Finds the task of an execution whose result file is at a path. */
function findTask(state: RunState, path: string) {
  const [, actionId = ''] = /^actions\/([^/]+)\/result\.json$/.exec(path) ?? [];
  return [actionId, state.engine?.tasks[actionId]] as const;
}

/** Records who wrote a subagent's output, if the harness tells subagents apart. */
async function recordWriter(
  context: Context,
  { name }: RunState,
  { path, kind }: PromisedFile,
  { agent, agentType }: ToolUse,
): Promise<void> {
  if (kind !== 'output' || HIDES_WRITER[context.caller.harness ?? '']) return;
  await transact(context, name, (tx) => {
    const own = tx.state.selfWritten ?? [];
    const others = own.filter((one) => one !== path);
    recordEntry(tx, 'written', { path, agent, agentType });
    const now = agent === null ? [...others, path] : others;
    if (now.length > 0) tx.state.selfWritten = now;
    else delete tx.state.selfWritten;
  });
}
