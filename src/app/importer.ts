import { parentPort, workerData } from 'node:worker_threads';
import type { ReadingRequest } from '../protocol/foreign-reader.js';
import { READINGS } from './ports.js';

// The worker thread that reads foreign text. Parsing Markdown may take minutes and cannot be interrupted within its own
// thread, but a worker can be terminated.
const { kind, given } = workerData as ReadingRequest;
const read = READINGS[kind];
if (read === undefined) throw new Error(`There is no reader for "${kind}".`);
void read(given as never).then((answer) => parentPort?.postMessage(answer));
