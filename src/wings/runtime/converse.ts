import { DevCliError } from '../../base/errors.js';
import { carryOutCalls, type ToolCallContext } from './calls.js';
import type { Ledger } from './core/budget.js';
import { type Compacted, compactMessages, estimateTokens, isToCompact } from './core/compaction.js';
import { type Message, type MessageBlock, NO_USAGE, type ResultBlock, type Usage } from './core/messages.js';
import type { ModelFacts } from './core/models.js';
import { findResult, isCall, listOpenCalls, refuseCall } from './core/pairs.js';
import type { SummaryFields } from './core/summary.js';
import {
  IDLE,
  joinsHistory,
  resumeTurn,
  stepTurn,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
  type TurnStatus,
} from './core/turn.js';
import { addUsage, countTokens, priceUsage, updateUsage } from './core/usage.js';
import { type ModelRequest, type Provider, ProviderFault } from './provider.js';
import { mayBeCharged, requestPatiently, type WholeAnswer } from './retry.js';
import type { SessionEntry } from './sessions/history.js';
import { countUnanswered, type Session } from './sessions/session.js';
import type { SessionState } from './sessions/state-schema.js';

/** An open session: its provider, and everything that its calls need. */
export interface ActiveSession extends ToolCallContext {
  provider: Provider;
  /** The parts of a request that are the same in all requests of the session. */
  asks: Omit<ModelRequest, 'messages' | 'maxOutput' | 'signal'>;
  facts: Pick<ModelFacts, 'window' | 'prices'>;
  /** Maximum tokens of an answer. */
  maxOutput: number;
  /** Maximum requests of a turn. */
  iterations: number;
  ledger: Ledger;
  /** Tells the wings that the session ends for now, and lets other processes open it. */
  leave: () => Promise<void>;
}

/** How a turn ended, or why it stopped for now, and what it used. */
export interface TurnEnd {
  status: TurnStatus;
  /** Explains the status further; empty if the status says everything. */
  reason: string;
  requests: number;
  usage: Usage;
  /** Messages that compaction removed from the history during the turn. */
  removed: number;
}

const LEFT = 'not run: the previous turn ended before this call.';

/**
 * Sends the model a user's message, and carries on until the turn ends.
 * @throws DevCliError `IO`, `LOCKED`, or an error of a call
 */
export async function runTurn(talk: ActiveSession, text: string): Promise<TurnEnd> {
  const message: Message = { role: 'user', blocks: [{ type: 'text', text: talk.site.clean(text) }] };
  const { state, effect } = stepTurn(IDLE, { type: 'user' }, talk.iterations);
  const open = listOpenCalls(talk.session.messages).map((call) => toEnded(refuseCall(call, LEFT)));
  await talk.session.commit([...open, { type: 'user', message }], () => ({ turn: store(state), begun: {} }));
  return carryOn(talk, state, effect);
}

/**
 * Resumes a turn that stopped because a budget was used up or its process ended.
 * @returns null if no turn is under way
 * @throws as `runTurn`
 */
export async function resumeInterruptedTurn(talk: ActiveSession): Promise<TurnEnd | null> {
  const { session } = talk;
  const state = (session.state.turn as unknown as TurnState | null) ?? IDLE;
  const effect = resumeTurn(state, session.messages);
  if (effect === null) return null;
  if (session.state.asking) await noteLost(talk, true);
  return carryOn(talk, state, effect);
}

const store = (state: TurnState): SessionState['turn'] => ({ ...state }) as unknown as SessionState['turn'];
const toEnded = (result: ResultBlock): SessionEntry => ({ type: 'ended', result });

/** Carries out the effects of a turn, one after the other, until the turn ends. */
async function carryOn(talk: ActiveSession, begun: TurnState, first: TurnEffect): Promise<TurnEnd> {
  const end: TurnEnd = { status: 'completed', reason: '', requests: 0, usage: NO_USAGE, removed: 0 };
  let [state, effect] = [begun, first];
  while (effect.type !== 'end') {
    const event = await attempt(talk, state, effect, end);
    ({ state, effect } = stepTurn(state, event, talk.iterations));
  }
  const { status, results, fault } = effect;
  const closing = results.map(toEnded);
  await talk.session.commit([...closing, { type: 'turn', status }], (now) => ({
    ...{ turn: store(state), asking: false, unanswered: countUnanswered(now) },
  }));
  return { ...end, status, reason: end.reason || (fault?.message ?? '') };
}

async function attempt(
  talk: ActiveSession,
  state: TurnState,
  effect: Exclude<TurnEffect, { type: 'end' }>,
  end: TurnEnd,
): Promise<TurnEvent> {
  try {
    switch (effect.type) {
      case 'request':
        return await ask(talk, state, end);
      case 'call':
        return await call(talk, effect);
      case 'compact': {
        const { removed, shorter } = await compactSession(talk.session, {
          room: estimateTokens(talk.session.messages) / 2,
        });
        end.removed += removed;
        return { type: 'compacted', shorter };
      }
      default:
        return effect satisfies never;
    }
  } catch (error) {
    const isOurs = talk.site.signal.aborted && (!(error instanceof DevCliError) || error.code === 'INTERRUPTED');
    if (isOurs) return { type: 'interrupted' };
    throw error;
  }
}

async function ask(talk: ActiveSession, state: TurnState, end: TurnEnd): Promise<TurnEvent> {
  const { session, facts } = talk;
  talk.site.signal.throwIfAborted();
  if (isToCompact(estimateInput(talk), facts.window)) end.removed += (await compactSession(talk.session)).removed;
  const reserved = await talk.ledger.reserve({
    input: estimateInput(talk),
    maxOutput: talk.maxOutput,
    prices: facts.prices,
  });
  if (!reserved.ok) {
    end.reason = `the next request could exceed the limit of ${LIMITS[reserved.limit]}`;
    return { type: 'withheld' };
  }
  end.requests += 1;
  const request = { ...talk.asks, messages: session.messages, maxOutput: reserved.maxOutput, signal: talk.site.signal };
  let answer: WholeAnswer;
  let isLate = false;
  try {
    answer = await requestPatiently(talk.provider, request, talk.context, {
      mayWait: (milliseconds) => {
        isLate = !talk.ledger.hasTime(milliseconds);
        return !isLate;
      },
      asks: () =>
        session.commit([{ type: 'requested' }], (now) => ({
          ...{ turn: store(state), asking: true, requests: now.requests + 1 },
        })),
      loses: async (fault) => {
        talk.warn(`request ${session.state.requests} was not answered (${fault.kind}): ${fault.message}`);
        await noteLost(talk, mayBeCharged(fault));
      },
    });
  } catch (error) {
    reserved.settle(null);
    if (!(error instanceof ProviderFault)) throw error;
    if (!isLate) return { type: 'faulted', kind: error.kind, message: error.message };
    end.reason = `another attempt would exceed the limit of ${LIMITS.deadline}: ${error.message}`;
    return { type: 'withheld' };
  }
  for (const line of answer.warnings) talk.warn(line);
  const told = updateUsage(NO_USAGE, answer.usage);
  const usage = countTokens(told) > 0 ? told : estimateUsage(talk, answer.blocks);
  reserved.settle(usage);
  end.usage = addUsage(end.usage, usage);
  const isCutByBudget = answer.stop === 'length' && reserved.maxOutput < talk.maxOutput;
  if (isCutByBudget) end.reason = `a limit left ${reserved.maxOutput} tokens for the answer, so it was cut off`;
  return keepAnswer(talk, state, { answer, usage, isCutByBudget });
}

const LIMITS = { cost: '--max-cost', tokens: '--max-tokens', deadline: '--max-minutes' } as const;

async function keepAnswer(
  { session, facts, iterations }: ActiveSession,
  state: TurnState,
  { answer, usage, isCutByBudget }: { answer: WholeAnswer; usage: Usage; isCutByBudget: boolean },
): Promise<TurnEvent> {
  const event: TurnEvent = isCutByBudget
    ? { type: 'withheld' }
    : { type: 'answered', blocks: answer.blocks, stop: answer.stop };
  const message: Message = { role: 'assistant', blocks: answer.blocks, usage };
  const isPart = !isCutByBudget && joinsHistory(answer);
  const price = priceUsage(usage, facts.prices);
  await session.commit([{ type: 'answered', stop: answer.stop, ...(isPart ? { message } : { usage }) }], (now) => ({
    ...{ asking: false, usage: addUsage(now.usage, usage) },
    cost: now.cost === null || price === null ? null : now.cost + price,
    ...(isPart && { context: countTokens(usage), counted: session.messages.length + 1 }),
    turn: store(stepTurn(state, event, iterations).state),
  }));
  return event;
}

/**
 * Estimates the tokens of the next request: the provider's own count up to its last answer, and an estimate of what was
 * added since.
 */
function estimateInput({ session, asks }: ActiveSession): number {
  const { context, counted } = session.state;
  const before = context > 0 ? context : Math.ceil(JSON.stringify([asks.system, asks.tools]).length / 3);
  return before + estimateTokens(session.messages.slice(counted));
}

/** Estimates the usage of an answer for which the provider reports none: limits and compaction need a number. */
function estimateUsage(talk: ActiveSession, blocks: readonly MessageBlock[]): Usage {
  talk.warn('The provider reports no token counts, so the usage is an estimate.');
  const written = estimateTokens([{ role: 'assistant', blocks: [...blocks] }]);
  return { ...NO_USAGE, input_tokens: estimateInput(talk), output_tokens: written };
}

/** Records that a request got no answer. @param counts whether the provider may charge for it nevertheless */
function noteLost({ session }: ActiveSession, counts: boolean): Promise<void> {
  return session.commit([{ type: 'unanswered' }], (now) => ({
    ...{ asking: false, unanswered: counts ? countUnanswered(now) : now.unanswered },
  }));
}

async function call(
  talk: ActiveSession,
  { calls, results: refused }: Extract<TurnEffect, { type: 'call' }>,
): Promise<TurnEvent> {
  const { session } = talk;
  for (const result of refused) await session.commit([toEnded(result)]);
  await carryOutCalls(talk, calls);
  const last = session.messages.at(-1);
  const asked = session.messages.at(-2)?.blocks.filter(isCall) ?? [];
  const results = asked.flatMap((one) => findResult(one, last) ?? []);
  return { type: 'called', results, isOver: talk.isOver() };
}

/**
 * Compacts a session's history if that makes it shorter.
 * @param options those of `compactMessages`
 * @throws DevCliError as `Session.commit`
 */
export async function compactSession(
  session: Session,
  options: { keep?: number; room?: number } = {},
): Promise<Compacted> {
  const made = compactMessages(session.messages, { ...options, before: session.state.summary });
  if (made.shorter)
    await session.commit([{ type: 'compacted', messages: made.messages, removed: made.removed }], () => ({
      ...{ summary: made.summary as SummaryFields | null, context: 0, counted: 0 },
    }));
  return made;
}
