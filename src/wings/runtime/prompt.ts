import { omitUndefined } from '../../base/defined.js';
import type { ExitCode } from '../../base/error-codes.js';
import type { Handler } from '../../protocol/ports.js';
import type { InputIn } from '../../registry/spec.js';
import { answerOrStream, type EmitEntry } from './answer.js';
import { resumeInterruptedTurn, runTurn } from './converse.js';
import type { Message, ResultBlock } from './core/messages.js';
import { isCall } from './core/pairs.js';
import type { TurnStatus } from './core/turn.js';
import { formatCost, formatUsage } from './core/usage.js';
import { openRuntime } from './runtime.js';
import { findSession } from './sessions/find.js';
import { showDryRun } from './show-request.js';
import type { RUNTIME_SPECS } from './specs.js';

type PromptInput = InputIn<typeof RUNTIME_SPECS, 'prompt'>;

const EXITS: Readonly<Partial<Record<TurnStatus, ExitCode>>> = { completed: 0, provider: 1, interrupted: 130 };

/**
 * `prompt`: one turn of a conversation, with tools (runtime.md, Commands).
 * @throws DevCliError `RUNTIME_INVALID` before anything is sent; `NO_SUCH_SESSION`, `LOCKED`, `USAGE`, `IO`
 */
export const runPrompt: Handler<PromptInput> = async (context, input, call) => {
  const earlier = input.session === undefined ? null : await findSession(context, input.session);
  const opening = {
    ...(earlier ?? { id: `talk-${context.ids.hex(10)}`, kind: 'prompt' as const, work: null }),
    ...{ role: null, promised: [], isReadOnly: false, tools: [], isOver: () => false },
  };
  if (input.dryRun) return showDryRun({ context, input, call, kind: 'prompt' }, [], input.message);
  return answerOrStream(input, async (emit) => {
    const recorded: Parameters<EmitEntry>[0][] = [];
    const keep: EmitEntry = (entry) => {
      recorded.push(entry);
      emit(entry);
    };
    const runtime = await openRuntime({ context, input, call, emit: keep, kind: 'prompt' });
    try {
      const talk = await runtime.open(opening);
      try {
        const earlier = await resumeInterruptedTurn(talk);
        const end = earlier === null || earlier.status === 'completed' ? await runTurn(talk, input.message) : earlier;
        const { warnings } = await runtime.total();
        const { usage, cost } = talk.session.state;
        const message = findLastWords(talk.session.messages);
        const json = {
          ...{
            ok: end.status === 'completed',
            status: end.status,
            session: talk.session.id,
            message,
            model: runtime.model.full,
          },
          ...{
            iterations: end.requests,
            ...listTools(recorded),
            usage,
            turn_usage: end.usage,
            estimated_cost: cost,
          },
          auto_compaction: end.removed === 0 ? null : { removed_message_count: end.removed },
          ...omitUndefined({
            fault: end.status === 'provider' || end.status === 'context' ? end.reason : undefined,
            warnings,
          }),
        };
        return {
          exit: EXITS[end.status] ?? 3,
          json,
          text: () =>
            [
              message,
              ...(end.status === 'completed' ? [] : [`${end.status}${end.reason === '' ? '' : `: ${end.reason}`}`]),
              `${talk.session.id}: ${formatUsage(usage)}; ${formatCost(cost)}`,
              ...(warnings ?? []).map((line) => `warning: ${line}`),
            ].join('\n'),
        };
      } finally {
        await talk.leave();
      }
    } finally {
      await runtime.close();
    }
  });
};

function findLastWords(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === 'assistant');
  return (last?.blocks ?? []).flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
}

/**
 * Lists the calls of a turn and their results from the recorded entries, because compaction may have removed them from
 * the history.
 */
function listTools(recorded: readonly Parameters<EmitEntry>[0][]) {
  const of = (wanted: string) => recorded.filter(({ type }) => type === wanted).map(({ data }) => data);
  const uses = of('answered').flatMap(({ message }) =>
    ((message as unknown as Message | undefined)?.blocks ?? [])
      .filter(isCall)
      .map(({ id, name, input }) => ({ id, name, input })),
  );
  const results = of('ended').map(({ result, data }) => {
    const { type: _, ...held } = result as unknown as ResultBlock;
    return { ...held, ...omitUndefined({ data }) };
  });
  // Calls that ran at the same time ended in any order, so the results are sorted by the order of their calls.
  const place = ({ tool_use_id }: Pick<ResultBlock, 'tool_use_id'>) => uses.findIndex(({ id }) => id === tool_use_id);
  return { tool_uses: uses, tool_results: results.sort((one, other) => place(one) - place(other)) };
}
