import { parentPort, workerData } from 'node:worker_threads';
import { type ImportRequest, importPlan } from '../documents/plan-import/import-plan.js';

// A thread of `plan import`: foreign text may take the reader of Markdown minutes, and nothing interrupts that in its own thread.
const { source, goal } = workerData as ImportRequest;
parentPort?.postMessage(importPlan(source, goal));
