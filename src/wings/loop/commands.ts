import type { HandlersOf } from '../../protocol/ports.js';
import type { LoopPorts } from './site.js';
import type { LOOP_SPECS } from './specs.js';

/**
 * Creates the handlers of the loop's commands. Functions of other wings are passed in as ports, because no wing imports
 * another.
 */
export function createLoopHandlers(ports: LoopPorts): HandlersOf<typeof LOOP_SPECS> {
  return {
    auto: async (context, input, call) => (await import('./auto.js')).runAuto(ports, context, input, call),
    retry: async (context, input, call) => (await import('./retry.js')).retryGoal(ports, context, input, call),
    explore: async (...given) => (await import('./explore/explore.js')).runExplore(...given),
    observe: async (context, _input, call) => (await import('./observe.js')).observeLoop(ports, context, call),
    'observe baseline': async (context, { window, noWrite, enforce }, call) => {
      const asked = { window, write: noWrite !== true, enforce: enforce === true };
      return (await import('./events/baseline.js')).observeBaseline(ports, context, asked, call);
    },
    'events replay': async (context, { noWrite }, call) =>
      (await import('./events/replay.js')).replayEvents(ports, context, noWrite !== true, call),
    'inbox list': async (context, input, call) =>
      (await import('./inbox/commands.js')).listInboxItems(ports, context, input, call),
    'inbox summary': async (context, input, call) =>
      (await import('./inbox/commands.js')).summarizeInbox(ports, context, input, call),
    'inbox act': async (context, input, call) =>
      (await import('./inbox/commands.js')).answerInboxItem(ports, context, input, call),
    'attempt list': async (context, { goal }, call) =>
      (await import('./attempts.js')).listAttempts(ports, context, goal, call),
    'attempt show': async (context, { id }, call) =>
      (await import('./attempts.js')).showAttempt(ports, context, id, call),
    'attempt prune': async (context, { days }, call) =>
      (await import('./attempts.js')).pruneAttempts(ports, context, days, call),
    'queue claim': async (...given) => (await import('./queue/commands.js')).claimGoal(ports, ...given),
    'queue renew': async (...given) => (await import('./queue/commands.js')).renewClaim(ports, ...given),
    'queue release': async (...given) => (await import('./queue/commands.js')).releaseClaim(ports, ...given),
    'decision spike': async (context, input, call) =>
      (await import('./decisions/spike.js')).runSpike(ports, context, input, call),
    'queue list': async (...given) => (await import('./queue/commands.js')).listClaims(ports, ...given),
    'protocol export': async (...given) => (await import('./packets/export.js')).exportPacket(ports, ...given),
    'protocol ingest': async (...given) => (await import('./packets/ingest.js')).ingestResult(ports, ...given),
  };
}
