import { setTimeout as sleep } from 'node:timers/promises';
import type { Ids } from '../../base/clock.js';
import type { Block, Usage } from './core/messages.js';
import { type FaultKind, type ModelRequest, type Provider, ProviderFault, type Stop } from './provider.js';

/** An answer that has come to its end. */
export interface WholeAnswer {
  blocks: Block[];
  usage: Partial<Usage>;
  stop: Stop;
  warnings: string[];
}

/** What asking needs of the world. */
interface Patience {
  ids: Ids;
  /** Waits so many milliseconds. @throws the signal's reason */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const ATTEMPTS = 8;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Nobody waits longer than that because a provider asks for it. */
const LONGEST_ASKED_MS = 600_000;
/** What asking again does not mend. */
const LASTING: readonly FaultKind[] = ['context', 'auth', 'invalid'];

/** What is told of requests as they are made, so that each is on the bill. */
interface Witness {
  /** Before a request is sent. */
  asks: () => Promise<void>;
  /** It came to nothing. */
  loses: (fault: ProviderFault) => Promise<void>;
  /** Whether it may be asked again so many milliseconds later. */
  mayWait?: (milliseconds: number) => boolean;
}

/**
 * Asks until an answer has come to its end: what was cut off counts for nothing, so that it may be asked for again (runtime.md, Provider).
 * @throws ProviderFault where asking again is no use, or was none eight times; the signal's reason once that aborts
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
  throw new ProviderFault('protocol', 'The answer has no end.');
}

/** Whether the provider may charge for what came to nothing; not for what it has refused. */
export function mayBeCharged({ kind, status = 200 }: ProviderFault): boolean {
  return kind === 'timeout' || ((kind === 'transport' || kind === 'protocol') && status < 400);
}
