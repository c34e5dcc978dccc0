import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../src/store/store.js';
import { readEntryContent } from '../../src/store/texts.js';
import { runDir } from './cli.js';
import { encodeEntries, readEntries } from './entries.js';
import type { Project } from './project.mjs';

/** Rewrites the entries of a run's journal, and their checksums. */
export function rewriteEntries(project: Project, run: string, change: (entries: Entry[]) => Entry[]): void {
  const path = join(runDir(project, run), 'events.jsonl');
  writeFileSync(path, encodeEntries(change(readEntries(readFileSync(path)))));
}

/** Returns the committed content with that digest; null if it is missing. */
export function contentOf(project: Project, run: string, digest: string): Buffer | null {
  const directory = runDir(project, run);
  for (const entry of readEntries(readFileSync(join(directory, 'events.jsonl')))) {
    const content = readEntryContent(entry, digest);
    if (content !== null) return content;
  }
  const object = join(directory, 'objects', digest);
  return existsSync(object) ? readFileSync(object) : null;
}
