import type { HandlersOf } from '../../protocol/ports.js';
import type { LoopPorts } from './site.js';
import type { LOOP_SPECS } from './specs.js';

/** What carries the commands of the loop out; what memory does for it is handed in, since no wing knows another. */
export function createHandlers(ports: LoopPorts): HandlersOf<typeof LOOP_SPECS> {
  return {
    auto: async (context, input, call) => (await import('./auto.js')).runAuto(ports, context, input, call),
    retry: async (context, input, call) => (await import('./retry.js')).retry(ports, context, input, call),
    explore: async (...given) => (await import('./explore/explore.js')).explore(...given),
    observe: async (context) => (await import('./observe.js')).observe(ports, context),
    'observe baseline': async (context, { window, noWrite, enforce }) =>
      (await import('./events/baseline.js')).observeBaseline(context, {
        ...{ window, write: noWrite !== true, enforce: enforce === true },
      }),
    'events replay': async (context, { noWrite }) =>
      (await import('./events/replay.js')).replayEvents(context, noWrite !== true),
    'inbox list': async (context, input) => (await import('./inbox/commands.js')).list(ports, context, input),
    'inbox summary': async (context, input) => (await import('./inbox/commands.js')).summarize(ports, context, input),
    'inbox act': async (context, input, call) => (await import('./inbox/commands.js')).act(ports, context, input, call),
    'attempt list': async (context, { goal }) => (await import('./attempts.js')).listAttempts(context, goal),
    'attempt show': async (context, { id }) => (await import('./attempts.js')).showAttempt(context, id),
    'attempt prune': async (context, { days }, call) =>
      (await import('./attempts.js')).pruneAttempts(context, days, call.env),
    'queue claim': async (context, input) => (await import('./queue/commands.js')).claim(context, input),
    'queue renew': async (context, input) => (await import('./queue/commands.js')).renew(context, input),
    'queue release': async (context, input) => (await import('./queue/commands.js')).release(context, input),
    'decision spike': async (context, input, call) =>
      (await import('./decisions/spike.js')).spike(ports, context, input, call),
    'queue list': async (context, input) => (await import('./queue/commands.js')).list(context, input),
    'protocol export': async (...given) => (await import('./packets/export.js')).exportPacket(ports, ...given),
    'protocol ingest': async (...given) => (await import('./packets/ingest.js')).ingest(...given),
  };
}
