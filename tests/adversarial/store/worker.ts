import './kill.js';
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createRuns } from '../../../src/project/runs.js';
import { sampleCodec, step } from '../../core/store/sample.js';
import { SCENES } from './scenes.js';

// The program of the processes that the tests of this directory start and kill.

const [root = '', task = '', detail = ''] = process.argv.slice(2);
const store = createRuns({
  root,
  codec: sampleCodec,
  clock: { now: () => Date.now() },
  ids: { hex: (length) => randomBytes(length).toString('hex').slice(0, length) },
  lockWaitMs: 60_000,
});

function say(text: string): void {
  writeSync(1, `${text}\n`);
}

async function main(): Promise<void> {
  switch (task) {
    case 'race':
      for (let i = 0; i < Number(detail); i++) {
        await store.transact('run', (head, neighbours) =>
          step({ files: [{ path: 'count.md', content: String((head.snapshot?.count ?? 0) + 1) }] })(head, neighbours),
        );
      }
      return;
    case 'create':
      // Runs transactions that commit nothing, so that the run's directory keeps appearing and vanishing.
      for (let i = 0; i < Number(detail); i++) await store.transact('run', () => ({ answer: null }));
      return;
    case 'hold':
      await store.transact('run', () => {
        say('holding');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        return { answer: null };
      });
      return;
    case 'scene':
      await store.transact('run', SCENES[detail]?.crashing ?? step({}));
      say('acknowledged');
  }
}

void main();
