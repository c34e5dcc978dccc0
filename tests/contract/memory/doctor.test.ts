import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// harness.md, Doctor: what it says of memory.

const create = freshProjects();
const book = (project: Project, file: string) => join(project.root, '.dev/memory/book', file);
const decide = (project: Project, text: string) => devCli(project, ['memory', 'decide', '--text', text]);

function findingsOf(project: Project): unknown[] {
  const { findings } = devCli(project, ['doctor', '--json']).json as { findings: { check: string }[] };
  return findings.filter(({ check }) => check === 'memory' || check === 'wing');
}

describe('doctor', () => {
  it('says nothing of memory where there is none', () => {
    expect(findingsOf(create())).toEqual([]);
  });

  it('proves that the book is what its journal says', () => {
    const project = create();
    decide(project, 'Use Redis');
    decide(project, 'Use SQLite');
    const message = 'The book of memory is what its journal says: 2 entries.';
    expect(findingsOf(project)).toEqual([{ check: 'memory', severity: 'ok', message }]);
  });

  it('names a book that somebody else has changed', () => {
    const project = create();
    decide(project, 'Use Redis');
    writeFileSync(
      book(project, 'state.json'),
      readFileSync(book(project, 'state.json'), 'utf8').replace('Redis', 'Mongo'),
    );
    const fix = 'Remove .dev/memory/book/state.json: it is made anew from the journal.';
    const message = expect.stringContaining('is "Use Mongo"; by the journal "Use Redis"');
    expect(findingsOf(project)).toEqual([{ check: 'memory', severity: 'problem', message, fix }]);
    rmSync(book(project, 'state.json'));
    decide(project, 'Use SQLite');
    expect(findingsOf(project)).toEqual([expect.objectContaining({ severity: 'ok' })]);
  });

  it('names a journal that cannot be read, and tells the rest', () => {
    const project = create();
    for (const text of ['a', 'b', 'c']) decide(project, text);
    const lines = readFileSync(book(project, 'events.jsonl'), 'utf8').split('\n');
    writeFileSync(book(project, 'events.jsonl'), [lines[0], 'no entry', ...lines.slice(2)].join('\n'));
    const { json } = devCli(project, ['doctor', '--json']);
    expect(findingsOf(project)).toEqual([
      expect.objectContaining({ severity: 'problem', message: expect.any(String), fix: expect.anything() }),
    ]);
    expect((json['findings'] as unknown[]).length).toBeGreaterThan(2);
  });

  it('looks at an empty memory without a word against it', () => {
    const project = create();
    decide(project, 'a');
    rmSync(book(project, ''), { recursive: true });
    expect(findingsOf(project)).not.toContainEqual(expect.objectContaining({ severity: 'problem' }));
  });
});
