import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLoop } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';
import { IDS, streamsSuite } from './streams-suite.js';

streamsSuite('a directory', async () => {
  const root = scratchDirectory('streams');
  let now = Date.parse('2026-11-27T01:00:00Z');
  return {
    streams: openLoop({ root, clock: { now: () => now }, ids: IDS, caller: { kind: 'cli', via: 'cli' } as const }),
    async pass(minutes) {
      now += minutes * 60_000;
    },
    async document(path) {
      const file = join(root, '.dev/loop', path);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
  };
});
