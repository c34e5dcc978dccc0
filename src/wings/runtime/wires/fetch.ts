import { ProviderFault } from '../provider.js';

/**
 * Watches something that should keep going.
 * @param what is missing where it does not, for people
 * @returns a signal that aborts with a ProviderFault after so many seconds in which nobody called `touch`, and at `end`
 */
export function watchSilence(
  seconds: number,
  what: string,
): { signal: AbortSignal; touch: () => void; end: () => void } {
  const control = new AbortController();
  const fault = (): void => control.abort(new ProviderFault('timeout', `No ${what} came for ${seconds} seconds.`));
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

/** Whether what is sent there stays unread on the way: by https, or on this machine. */
export const isPrivate = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));

/**
 * Makes a `fetch` that keeps to https, but for loopback, and follows no redirect: either would show the key to others.
 * @param byteSeconds after so many seconds without a byte an exchange is ended
 */
export function makeFetch(byteSeconds: number): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const { origin } = url;
    if (!isPrivate(url))
      throw new ProviderFault('invalid', `${origin} is not https: the key would be sent for all to read.`);
    const watch = watchSilence(byteSeconds, 'byte');
    const signal = init?.signal ? AbortSignal.any([init.signal, watch.signal]) : watch.signal;
    // An exchange aborts its signal at its end, whatever that is: then nothing is left to watch.
    signal.addEventListener('abort', watch.end, { once: true });
    const response = await fetch(input, { ...init, signal, redirect: 'manual' });
    const { status, statusText, headers } = response;
    if (status >= 300 && status < 400)
      throw new ProviderFault('invalid', `${origin} redirects, which is not followed.`, { status });
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
