import { canonicalJson, parseOrNull } from '../../../base/json.js';
import { sha256 } from '../../../base/sha256.js';
import type { FaultKind, StopReason } from '../provider.js';
import type { CallBlock, Message, MessageBlock, ResultBlock } from './messages.js';
import { isCall, listOpenCalls, refuseCall } from './pairs.js';

/**
 * A turn begins with a user's message and lasts until the model needs nothing more (runtime.md, A turn). Pure: each
 * step returns an effect, which the caller carries out.
 */

/** How a turn ended. After `budget`, `provider` and `interrupted` it can be resumed (`resumeTurn`). */
export type TurnStatus =
  | ('completed' | 'empty' | 'truncated' | 'refused' | 'context' | 'max_iterations' | 'stuck')
  | ('budget' | 'provider' | 'interrupted');

/** A turn as the session's snapshot stores it. Digests stand for the inputs and outputs of calls. */
export type TurnState = {
  /** What the turn waits for; `idle` if there is no turn. */
  at: 'idle' | 'asking' | 'calling' | 'compacting';
  /** How many requests the turn has made. A request that is sent again after a fault counts once. */
  requests: number;
  /**
   * Why the request under way is a second attempt: the first answer was empty or cut off, or the history was too long.
   * If the same happens again, the turn ends.
   */
  retried: 'empty' | 'cut' | 'context' | null;
  /** Calls under way, in order. */
  calls: { id: string; digest: string }[];
  /** The id of the call that was cut off and is therefore not run. */
  cut: string | null;
  /**
   * Digests of calls together with their results, the newest last. `times` counts how often the same call had the same
   * result since a result that was new.
   */
  seen: [digest: string, times: number][];
};

export type TurnEvent =
  /** A user's message was added to the history. Calls without a result from the turn before got one. */
  | { type: 'user' }
  | { type: 'answered'; blocks: readonly MessageBlock[]; stop: StopReason }
  | { type: 'faulted'; kind: FaultKind; message: string }
  /**
   * `results` has one for each call of the answer, in order. If `isOver`, the turn ends and the model is not asked
   * again.
   */
  | { type: 'called'; results: readonly ResultBlock[]; isOver?: boolean }
  | { type: 'compacted'; shorter: boolean }
  /** A limit forbade the request, or was reached while the answer arrived. */
  | { type: 'withheld' }
  | { type: 'interrupted' };

export type TurnEffect =
  | { type: 'request' }
  /** `calls` are to be carried out. `results` belong to the other calls of the answer, which are not run. */
  | { type: 'call'; calls: CallBlock[]; results: ResultBlock[] }
  | { type: 'compact' }
  /** `results` belong to calls that are not run. */
  | { type: 'end'; status: TurnStatus; results: ResultBlock[]; fault?: { kind: FaultKind; message: string } };

interface Step {
  state: TurnState;
  effect: TurnEffect;
}

/** The state before the first turn and between turns. */
export const IDLE: TurnState = { at: 'idle', requests: 0, retried: null, calls: [], cut: null, seen: [] };

/** A turn is stuck once a call has had the same result `EQUAL` times; the last `REMEMBERED` calls are compared. */
const EQUAL = 3;
const REMEMBERED = 50;

const CUT = 'not run: the answer was cut off within this call. Make it again, shorter or in several parts.';
const LEFT = 'not run: the answer was cut off.';

/**
 * Returns whether an answer is added to the history. Three kinds are not: a refusal, an empty answer and a paused one
 * (the last two only without calls). After them the same history is sent again, or the turn ends.
 */
export function joinsHistory({ blocks, stop }: { blocks: readonly MessageBlock[]; stop: StopReason }): boolean {
  return stop !== 'refused' && (blocks.some(isCall) || (stop !== 'paused' && hasText(blocks)));
}

const hasText = (blocks: readonly MessageBlock[]): boolean =>
  blocks.some((block) => block.type === 'text' && block.text.trim() !== '');

/**
 * Advances a turn by one event.
 * @param iterations maximum requests of the turn; may change from one step to the next
 * @throws Error for an event that the turn does not wait for
 */
export function stepTurn(state: TurnState, event: TurnEvent, iterations: number): Step {
  switch (event.type) {
    case 'user':
      return ask(IDLE, iterations);
    case 'interrupted':
      return suspend(state, 'interrupted');
    case 'withheld':
      return suspend(expect(state, 'asking'), 'budget');
    case 'answered':
      return takeAnswer(expect(state, 'asking'), event, iterations);
    case 'faulted':
      return takeFault(expect(state, 'asking'), event);
    case 'compacted':
      expect(state, 'compacting');
      return event.shorter ? { state: { ...state, at: 'asking' }, effect: { type: 'request' } } : end(state, 'context');
    case 'called':
      return takeResults(expect(state, 'calling'), event, iterations);
  }
}

/**
 * Returns the effect with which another process can resume an unfinished turn; null if there is no turn. The effect
 * `call` contains only calls without a result, but the event `called` that follows must carry the results of all calls.
 */
export function resumeTurn({ at, cut }: TurnState, messages: readonly Message[]): TurnEffect | null {
  switch (at) {
    case 'idle':
      return null;
    case 'asking':
      return { type: 'request' };
    case 'compacting':
      return { type: 'compact' };
    case 'calling':
      return call(listOpenCalls(messages), cut);
  }
}

function expect(state: TurnState, at: TurnState['at']): TurnState {
  if (state.at !== at) throw new Error(`a turn that is ${state.at} does not wait for this`);
  return state;
}

function ask(state: TurnState, iterations: number): Step {
  if (state.requests >= iterations) return end(state, 'max_iterations');
  const asking: TurnState = { ...state, at: 'asking', requests: state.requests + 1, calls: [], cut: null };
  return { state: asking, effect: { type: 'request' } };
}

function end({ requests }: TurnState, status: TurnStatus, results: ResultBlock[] = []): Step {
  return { state: { ...IDLE, requests }, effect: { type: 'end', status, results } };
}

/** Suspends the turn: the state stays the same, so another call of dev-cli can resume it. */
function suspend(state: TurnState, status: TurnStatus, fault?: { kind: FaultKind; message: string }): Step {
  return { state, effect: { type: 'end', status, results: [], ...(fault !== undefined && { fault }) } };
}

function takeAnswer(
  state: TurnState,
  { blocks, stop }: { blocks: readonly MessageBlock[]; stop: StopReason },
  iterations: number,
): Step {
  const calls = blocks.filter(isCall);
  if (stop === 'refused') return end(state, 'refused');
  if (stop === 'length') {
    const last = blocks.at(-1);
    return last?.type === 'tool_use' && state.retried !== 'cut'
      ? begin({ ...state, retried: 'cut' }, calls, last.id)
      : end(
          state,
          'truncated',
          calls.map((one) => refuseCall(one, LEFT)),
        );
  }
  if (calls.length > 0) return begin({ ...state, retried: null }, calls, null);
  if (stop === 'paused') return ask({ ...state, retried: null }, iterations);
  if (hasText(blocks)) return end(state, 'completed');
  return state.retried === 'empty' ? end(state, 'empty') : ask({ ...state, retried: 'empty' }, iterations);
}

function begin(state: TurnState, calls: readonly CallBlock[], cut: string | null): Step {
  const out = calls.map(({ id, name, input }) => ({ id, digest: digest([name, parseOrNull(input) ?? input]) }));
  return { state: { ...state, at: 'calling', calls: out, cut }, effect: call(calls, cut) };
}

function call(calls: readonly CallBlock[], cut: string | null): TurnEffect {
  const isCut = ({ id }: CallBlock): boolean => id === cut;
  const results = calls.filter(isCut).map((one) => refuseCall(one, CUT));
  return { type: 'call', calls: calls.filter((one) => !isCut(one)), results };
}

function takeFault(state: TurnState, { kind, message }: { kind: FaultKind; message: string }): Step {
  if (kind !== 'context') return suspend(state, 'provider', { kind, message });
  if (state.retried === 'context') return end(state, 'context');
  return { state: { ...state, at: 'compacting', retried: 'context' }, effect: { type: 'compact' } };
}

function takeResults(
  state: TurnState,
  { results, isOver = false }: { results: readonly ResultBlock[]; isOver?: boolean },
  iterations: number,
): Step {
  if (results.length !== state.calls.length || state.calls.some(({ id }, at) => id !== results[at]?.tool_use_id))
    throw new Error('the results are those of the calls, in their order');
  let { seen } = state;
  let most = 0;
  for (const [at, { output, is_error }] of results.entries()) {
    const one = digest([state.calls[at]?.digest, output, is_error]);
    const before = seen.find(([known]) => known === one)?.[1];
    const others = seen.filter(([known]) => known !== one);
    // A new result is progress, so all counts begin again: after a change, a check may be repeated.
    const rest = before === undefined ? others.map(([known]): [string, number] => [known, 0]) : others;
    const times = (before ?? 0) + 1;
    most = Math.max(most, times);
    seen = [...rest, [one, times] satisfies [string, number]].slice(-REMEMBERED) as TurnState['seen'];
  }
  if (isOver) return end(state, 'completed');
  return most >= EQUAL ? end(state, 'stuck') : ask({ ...state, seen }, iterations);
}

const digest = (value: unknown): string => sha256(canonicalJson(value)).slice(0, 16);
