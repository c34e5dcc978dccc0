/**
 * Applies `work` to each item of a list, at most `atOnce` at a time, and returns the results in the order of the list.
 * @throws the first error, once all work under way has ended; starts nothing new after it
 */
export async function mapConcurrently<T, R>(
  list: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array<R>(list.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < list.length; at = next++) results[at] = await work(list[at] as T);
  };
  const stopping = (error: unknown): never => {
    next = list.length;
    throw error;
  };
  const workers = Array.from({ length: Math.min(atOnce, list.length) }, () => worker().catch(stopping));
  const failed = (await Promise.allSettled(workers)).find((ended) => ended.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}
