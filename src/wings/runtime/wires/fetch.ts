import { ProviderFault } from '../provider.js';

/**
 * Watches an exchange for silence.
 * @param what the thing expected to arrive, as the error message names it
 * @returns a signal that aborts with a ProviderFault after `seconds` seconds without a call of `touch`; `end` stops the
 * watch, and aborts the signal without a fault
 */
export function watchSilence(
  seconds: number,
  what: string,
): { signal: AbortSignal; touch: () => void; end: () => void } {
  const control = new AbortController();
  const fault = (): void => control.abort(new ProviderFault('timeout', `No ${what} arrived for ${seconds} seconds.`));
  const timer = setTimeout(fault, seconds * 1_000);
  return {
    signal: control.signal,
    touch: () => void timer.refresh(),
    end: () => {
      clearTimeout(timer);
      control.abort();
    },
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns whether data sent to a URL cannot be read on the way: it uses https, or stays on this machine. */
export const isPrivateUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));

/**
 * Creates a `fetch` that requires https, except for loopback, and follows no redirect, because unencrypted exchanges
 * and redirects could reveal the key to others.
 * @param byteSeconds seconds without a byte after which an exchange is aborted
 */
export function makeFetch(byteSeconds: number): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const { origin } = url;
    if (!isPrivateUrl(url))
      throw new ProviderFault('invalid', `${origin} is not https: the key would be sent unencrypted.`);
    const watch = watchSilence(byteSeconds, 'byte');
    const signal = init?.signal ? AbortSignal.any([init.signal, watch.signal]) : watch.signal;
    // An exchange aborts its signal when it ends, for whatever reason; then the watch ends, too.
    signal.addEventListener('abort', watch.end, { once: true });
    const response = await fetch(input, { ...init, signal, redirect: 'manual' });
    const { status, statusText, headers } = response;
    if (status >= 300 && status < 400)
      throw new ProviderFault('invalid', `${origin} redirects, and redirects are not followed.`, { status });
    watch.touch();
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        watch.touch();
        controller.enqueue(chunk);
      },
      flush: watch.end,
    });
    return new Response(response.body?.pipeThrough(watched) ?? null, { status, statusText, headers });
  };
}
