import type { Answer, StreamAnswer, StreamItem } from '../../base/answer.js';
import type { JsonObject } from '../../base/json.js';

/** Receives each entry that is recorded in a session. */
export type EmitEntry = (entry: { session: string; type: string; data: JsonObject }) => void;

/**
 * Runs `work` and returns its answer. With `--events`, returns a stream instead: each entry as it is recorded, then the
 * answer (runtime.md, Commands).
 * @param work an error that it throws becomes the error of the call, or ends the stream
 */
export async function answerOrStream(
  { events = false }: { events?: boolean | undefined },
  work: (emit: EmitEntry) => Promise<Answer>,
): Promise<Answer | StreamAnswer> {
  if (!events) return work(() => {});
  const queue: StreamItem[] = [];
  let wake = (): void => {};
  let seq = 0;
  const push = (json: object, more: Omit<StreamItem, 'json'>): void => {
    seq += 1;
    queue.push({ json: { seq, ...json }, ...more });
    wake();
  };
  async function* stream(): AsyncGenerator<StreamItem> {
    const done = work(({ session, type, data }) =>
      push({ session, type, data }, { text: () => `${session} ${type}` }),
    ).then(({ exit, json, text }) =>
      push({ type: 'end', ...json }, { exit, text: (format) => text?.(format) ?? null }),
    );
    let failed = false;
    done.catch(() => {
      failed = true;
      wake();
    });
    for (;;) {
      const item = queue.shift();
      if (item !== undefined) yield item;
      if (item?.json['type'] === 'end') return;
      if (item !== undefined) continue;
      if (failed) await done;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (queue.length > 0 || failed) resolve();
      });
    }
  }
  return { exit: 0, stream: stream() };
}
