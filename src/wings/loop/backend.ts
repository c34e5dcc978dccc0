import type { Context } from '../../run/context.js';
import { CONFIG } from './config.js';
import { readLoopFiles } from './files.js';
import type { Backend, BackendCall, OpenFleet } from './fleet-port.js';
import { flushEventsQuietly } from './log.js';
import { openRefs } from './refs.js';
import { openLoop } from './streams.js';

/**
 * Opens the backend of a root's loop. With a fleet, first brings to this root what the shared stream has gained since
 * the last call: documents of attempts, and events for the log.
 * @param ports without `openFleet`, the stream on this machine is opened
 * @throws DevCliError as `OpenFleet`; `SCHEMA_INVALID` if the configuration cannot be read
 */
export async function openLoopBackend(
  { openFleet }: { openFleet?: OpenFleet },
  context: Context,
  call: BackendCall,
): Promise<Backend> {
  const { root, reader } = context;
  // Without a fleet, the configuration need not be parsed here.
  const isShared = /^fleet[ \t]*:/m.test(reader.read(`${root}/${CONFIG}`) ?? '');
  const fleet = isShared ? readLoopFiles(context).config.fleet : null;
  if (fleet === null || openFleet === undefined) return { streams: openLoop(context), openRefs, desk: null };
  const backend = await openFleet(context, fleet, call);
  await flushEventsQuietly({ streams: backend.streams, context });
  return backend;
}
