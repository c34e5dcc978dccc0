import { setTimeout as sleep } from 'node:timers/promises';
import type { Ids } from '../../base/clock.js';
import type { MessageBlock, Usage } from './core/messages.js';
import { type FaultKind, type ModelRequest, type Provider, ProviderFault, type StopReason } from './provider.js';

/** A complete answer. */
export interface WholeAnswer {
  blocks: MessageBlock[];
  usage: Partial<Usage>;
  stop: StopReason;
  warnings: string[];
}

/** What waiting between attempts needs: a source of randomness, and the wait itself. */
interface Patience {
  ids: Ids;
  /** Waits this long. @throws the signal's reason */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const ATTEMPTS = 8;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** If a provider asks for a longer wait than this, the request is not repeated. */
const LONGEST_ASKED_MS = 600_000;
/** Kinds of faults that a retry cannot fix. */
const LASTING: readonly FaultKind[] = ['context', 'auth', 'invalid'];

/** Callbacks before and after each attempt, with which every request is accounted for. */
interface Witness {
  /** Called before a request is sent. */
  asks: () => Promise<void>;
  /** Called after a request has failed. */
  loses: (fault: ProviderFault) => Promise<void>;
  /** Returns whether there is time for a wait of this length and a further attempt. */
  mayWait?: (milliseconds: number) => boolean;
}

/**
 * Repeats a request until it gets a complete answer (runtime.md, Provider). Nothing of an answer that was cut off is
 * used, so the request can safely be repeated.
 * @throws ProviderFault if a retry is pointless, or after eight attempts; the signal's reason once the signal aborts
 */
export async function requestPatiently(
  provider: Provider,
  request: ModelRequest,
  { ids, wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }) }: Patience,
  { asks, loses, mayWait = () => true }: Witness,
): Promise<WholeAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    await asks();
    try {
      return await collect(provider, request);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!(error instanceof ProviderFault)) throw error;
      await loses(error);
      const asked = error.retryAfterMs ?? 0;
      if (LASTING.includes(error.kind) || attempt === ATTEMPTS || asked > LONGEST_ASKED_MS) throw error;
      const pause = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
      const chance = Number.parseInt(ids.hex(8), 16) / 2 ** 32;
      const milliseconds = Math.max(pause / 2 + (pause / 2) * chance, asked);
      if (!mayWait(milliseconds)) throw error;
      await wait(milliseconds, request.signal);
    }
  }
}

async function collect(provider: Provider, request: ModelRequest): Promise<WholeAnswer> {
  const answer: Omit<WholeAnswer, 'stop'> = { blocks: [], usage: {}, warnings: [] };
  for await (const part of provider.request(request)) {
    switch (part.type) {
      case 'usage':
        Object.assign(answer.usage, part.usage);
        break;
      case 'warning':
        answer.warnings.push(part.text);
        break;
      case 'end':
        return { ...answer, stop: part.stop };
      default:
        answer.blocks.push(part);
    }
  }
  throw new ProviderFault('protocol', 'The answer was cut off.');
}

/** Returns whether the provider may charge for a failed request. If it refused the request, it does not. */
export function mayBeCharged({ kind, status = 200 }: ProviderFault): boolean {
  return kind === 'timeout' || ((kind === 'transport' || kind === 'protocol') && status < 400);
}
