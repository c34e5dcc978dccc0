import { describe, expectTypeOf, it } from 'vitest';
import type { Questions } from '../../../src/app/use-cases.js';
import type { stepComplete } from '../../../src/protocol/acknowledge/complete.js';
import type { showHistory, streamJournal } from '../../../src/protocol/questions/history.js';
import type { showRunList } from '../../../src/protocol/questions/list.js';
import type { showManifest } from '../../../src/protocol/questions/manifest.js';
import type { nextIfIdle } from '../../../src/protocol/questions/next.js';
import type { checkReplay, showReplay } from '../../../src/protocol/questions/replay.js';
import type { showStatus } from '../../../src/protocol/questions/status.js';
import type { watchStatus } from '../../../src/protocol/questions/watch.js';
import type { Context, HistoryContext } from '../../../src/run/context.js';

// A question (a use case that only reads) cannot write, because its context lacks the functions that write. The
// compiler checks this (npm run typecheck), not the test run.

/** The members of a store that questions do not get. */
type Writing = Exclude<keyof Context['store'], keyof HistoryContext['store']>;

/** The members of `Writing` that a use case can reach through its context. */
type Reach<U extends (context: never, ...rest: never[]) => unknown> = Parameters<U>[0] extends { store: infer S }
  ? Extract<keyof S, Writing>
  : never;

describe('a question', () => {
  it('is given nothing that writes', () => {
    expectTypeOf<'transact'>().toExtend<Writing>();
    expectTypeOf<Reach<typeof stepComplete>>().toEqualTypeOf<Writing>();
    expectTypeOf<Reach<typeof showStatus>>().toBeNever();
    expectTypeOf<Reach<typeof watchStatus>>().toBeNever();
    expectTypeOf<Reach<typeof showManifest>>().toBeNever();
    expectTypeOf<Reach<typeof nextIfIdle>>().toBeNever();
    expectTypeOf<Reach<typeof showRunList>>().toBeNever();
    expectTypeOf<Reach<typeof showHistory>>().toBeNever();
    expectTypeOf<Reach<typeof streamJournal>>().toBeNever();
    expectTypeOf<Reach<typeof checkReplay>>().toBeNever();
    expectTypeOf<Reach<typeof showReplay>>().toBeNever();
    expectTypeOf<Reach<Questions[keyof Questions]>>().toBeNever();
  });
});
