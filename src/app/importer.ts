import { parentPort, workerData } from 'node:worker_threads';
import type { ReadingRequest } from '../protocol/foreign-reader.js';
import { READINGS } from './ports.js';

// The thread in which foreign text is read: it may take the reader of Markdown minutes, and nothing interrupts that in its own thread.
const { kind, given } = workerData as ReadingRequest;
const read = READINGS[kind];
if (read === undefined) throw new Error(`Nothing reads "${kind}".`);
void read(given as never).then((answer) => parentPort?.postMessage(answer));
