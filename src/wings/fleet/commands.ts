import type { HandlersOf } from '../../protocol/ports.js';
import type { FleetPorts } from './ports.js';
import type { FLEET_SPECS } from './specs.js';

/** Creates the handlers of the fleet's commands. The loop's part is passed in, since no wing imports another. */
export function createFleetHandlers(load: () => Promise<FleetPorts>): HandlersOf<typeof FLEET_SPECS> {
  return {
    'fleet init': async (context, _input, call) => (await import('./init.js')).initFleet(context, call),
    'fleet worker': async (context, input, call) =>
      (await import('./worker.js')).runWorker(await load(), context, input, call),
    'fleet list': async (context, _input, call) => (await import('./list.js')).listFleet(context, call),
    'fleet take': async (context, { goal }, call) =>
      (await import('./take.js')).takeAttempt(await load(), context, goal, call),
    'fleet give': async (context, { goal }, call) =>
      (await import('./take.js')).giveAttemptBack(await load(), context, goal, call),
    'fleet export': async (context, { directory }, call) =>
      (await import('./export.js')).exportStream(await load(), context, directory, call),
  };
}
