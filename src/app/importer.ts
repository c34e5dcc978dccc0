import { parentPort, workerData } from 'node:worker_threads';
import { importPlan } from '../plan/import/import-plan.js';
import { showVisible } from '../plan/import/visible.js';
import type { ReadingRequest } from '../protocol/foreign-reader.js';

// The thread in which foreign text is read: it may take the reader of Markdown minutes, and nothing interrupts that in its own thread.
parentPort?.postMessage(read(workerData as ReadingRequest));

function read(given: ReadingRequest) {
  switch (given.kind) {
    case 'plan':
      return importPlan(given.request.source, given.request.goal);
    case 'visible':
      return showVisible(given.file);
  }
}
