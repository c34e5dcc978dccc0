import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLoop } from '../../../src/wings/loop/streams.js';
import { scratchDirectory } from '../../support/scratch.js';
import { replayLoop, SYSTEM } from './replay-loop.js';
import { streamsSuite } from './streams-suite.js';

streamsSuite('a directory', () => {
  const root = scratchDirectory('streams');
  return {
    streams: openLoop({ root, ...SYSTEM }),
    async document(path) {
      const file = join(root, '.dev/loop', path);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
    replay: () => replayLoop(root),
  };
});
