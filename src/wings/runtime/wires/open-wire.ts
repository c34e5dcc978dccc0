import type { Clock } from '../../../base/clock.js';
import type { ChosenModel } from '../models.js';
import { type AnswerPart, type ModelRequest, type Provider, ProviderFault } from '../provider.js';
import { toFault } from './faults.js';
import { makeFetch, watchSilence } from './fetch.js';
import { toPrompt, toTools } from './prompt.js';
import type { Wire, WireSettings } from './sdk.js';
import { readAnswer } from './stream.js';

type Api = ChosenModel['api'];

interface Watched {
  /** Seconds without a byte, and without a part of an answer, after which an exchange is aborted. */
  timeouts: { byte: number; part: number };
  clock: Clock;
}

/** Each package is loaded only when its provider is used. */
const WIRES: Readonly<Record<Api, (settings: WireSettings) => Promise<Wire>>> = {
  anthropic: async (settings) => (await import('./anthropic.js')).openAnthropic(settings),
  openai: async (settings) => (await import('./openai.js')).openOpenAI(settings),
  google: async (settings) => (await import('./google.js')).openGoogle(settings),
  chat: async (settings) => (await import('./chat.js')).openChat(settings),
};

/**
 * Default addresses. Given explicitly, because the packages would otherwise read the environment, which may hold the
 * address or key of another service.
 */
const ADDRESSES: Readonly<Partial<Record<Api, string>>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/**
 * Opens a connection to a model (runtime.md, Provider).
 * @throws ProviderFault `invalid` for an invalid address, `auth` for a missing key (only local servers need none)
 */
export async function openWire(model: ChosenModel, watched: Watched): Promise<Provider> {
  const { api, key, provider } = model;
  if (key === undefined && api !== 'chat') throw new ProviderFault('auth', `There is no key for ${provider}.`);
  const settings = { apiKey: key ?? '', baseURL: findAddress(model), fetch: makeFetch(watched.timeouts.byte) };
  const wire = await WIRES[api](settings);
  return { request: (request) => exchange(wire, model, request, watched) };
}

async function* exchange(
  { choose, tune }: Wire,
  of: ChosenModel,
  request: ModelRequest,
  { timeouts, clock }: Watched,
): AsyncGenerator<AnswerPart> {
  const { model, tools, maxOutput, signal } = request;
  const watch = watchSilence(timeouts.part, 'part of an answer');
  let headers: Record<string, string> | undefined;
  const fault = (error: unknown): ProviderFault => toFault(error, { key: of.key, headers, now: clock.now() });
  try {
    const { stream, response } = await choose(model).doStream({
      prompt: toPrompt(request, of),
      ...(tools.length > 0 && { tools: toTools(tools, of), toolChoice: { type: 'auto' } }),
      maxOutputTokens: maxOutput,
      ...tune(request),
      abortSignal: AbortSignal.any([signal, watch.signal]),
    });
    headers = response?.headers;
    const answer = await readAnswer(stream, of, { onPart: watch.touch, toFault: fault });
    watch.end();
    yield* answer;
  } catch (error) {
    signal.throwIfAborted();
    throw fault(error);
  } finally {
    watch.end();
  }
}

function findAddress({ api, baseURL = ADDRESSES[api], provider }: ChosenModel): string {
  if (baseURL === undefined || !URL.canParse(baseURL))
    throw new ProviderFault(
      'invalid',
      `The provider ${provider} needs an address: set its baseURL in the configuration.`,
    );
  const address = baseURL.replace(/\/+$/, '');
  // An address that names a version is used as it is. In compatible APIs, the path may continue after the version.
  if ((api === 'chat' ? /\/v\d\w*(?:\/|$)/ : /\/v\d\w*$/).test(address)) return address;
  return `${address}/${api === 'google' ? 'v1beta' : 'v1'}`;
}
