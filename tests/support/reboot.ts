import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/base/sha256.js';
import { runDir } from './cli.js';
import { readEntries, rebooted } from './entries.js';
import { contentOf } from './journal.js';
import type { Project } from './project.mjs';

/**
 * What a power cut can do to a file that was not synced. `older`: its replacement is lost, so the file has its earlier
 * content, or is missing if there was none. `torn before`: as `older`, but an earlier power cut has torn that content.
 */
export const LOSSES = ['missing', 'empty', 'zeros', 'torn', 'torn with zeros', 'older', 'torn before'] as const;
export type Loss = (typeof LOSSES)[number];

/** Rewrites the run's journal as if the machine had been restarted after its last entry. */
export function reboot(project: Project, run: string): void {
  const path = join(runDir(project, run), 'events.jsonl');
  writeFileSync(path, rebooted(readFileSync(path)));
}

/**
 * Lists the run's documents that match its journal, by path, with every content that the journal records, oldest first.
 */
export function committedDocuments(project: Project, run: string): Map<string, Buffer[]> {
  const digests = new Map<string, (string | null)[]>();
  for (const { files } of readEntries(readFileSync(join(runDir(project, run), 'events.jsonl')))) {
    for (const { path, after } of files) digests.set(path, [...(digests.get(path) ?? []), after]);
  }
  const found = new Map<string, Buffer[]>();
  for (const [path, all] of digests) {
    const contents = all.flatMap((digest) => (digest === null ? [] : (contentOf(project, run, digest) ?? [])));
    const last = all.at(-1);
    if (last && readIfThere(join(runDir(project, run), path)) === last) found.set(path, contents);
  }
  return found;
}

function readIfThere(path: string): string | null {
  try {
    return sha256(readFileSync(path));
  } catch {
    return null;
  }
}

/** Damages one file as a power cut would. */
export function lose(path: string, loss: Loss, contents: readonly Buffer[]): void {
  const whole = contents.at(-1) ?? Buffer.alloc(0);
  const left = remainsOf(loss, whole, contents.at(-2) ?? null);
  if (left === null) rmSync(path);
  else writeFileSync(path, left);
}

function remainsOf(loss: Loss, whole: Buffer, older: Buffer | null): Buffer | null {
  const half = Math.floor(whole.length / 2);
  switch (loss) {
    case 'missing':
      return null;
    case 'empty':
      return Buffer.alloc(0);
    case 'zeros':
      return Buffer.alloc(whole.length);
    case 'torn':
      return whole.subarray(0, half);
    case 'torn with zeros':
      return Buffer.concat([Buffer.alloc(half), whole.subarray(half)]);
    case 'torn before':
      return tearOff(older ?? Buffer.alloc(0));
    case 'older':
      return older;
  }
}

function tearOff(content: Buffer): Buffer {
  const half = Math.floor(content.length / 2);
  return Buffer.concat([content.subarray(0, half), Buffer.alloc(content.length - half)]);
}
