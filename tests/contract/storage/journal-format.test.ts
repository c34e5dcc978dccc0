import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { devCli, init, runDir } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { RUN } from '../../support/executing.js';
import { SMALL_CREW, smallPlan } from '../../support/small.mjs';
import { agentFor } from '../../support/stories.js';

/**
 * Checks docs/spec/journal-format.md against dev-cli: a reader written from that page alone, without imports from
 * dev-cli, rebuilds a run from its files.
 */

interface Read {
  entries: Record<string, unknown>[];
  /** The last entry of every commit to the journal; it holds the commit's patch and files. */
  commits: {
    seq: number;
    patch: Operation[];
    files: { path: string; after: string | null }[];
    texts?: Record<string, string | { deflated: string; like?: string }>;
  }[];
}

interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

class Damaged extends Error {}

function readJournal(bytes: Buffer): Read {
  const read: Read = { entries: [], commits: [] };
  let open: Record<string, unknown>[] = [];
  for (let from = 0; from < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, from);
    const line = bytes.subarray(from, feed < 0 ? bytes.length : feed);
    const last = feed < 0 || feed === bytes.length - 1;
    if (feed < 0 || !isWhole(line)) {
      if (!last) throw new Damaged(`line at byte ${from}`);
      return read;
    }
    const entry = JSON.parse(line.toString('utf8')) as Record<string, unknown>;
    if (entry['seq'] !== read.entries.length + open.length + 1) throw new Damaged(`gap before ${entry['seq']}`);
    open.push(entry);
    if (entry['more'] !== true) {
      read.entries.push(...open);
      read.commits.push(entry as unknown as Read['commits'][number]);
      open = [];
    }
    from = feed + 1;
  }
  return read;
}

function isWhole(line: Buffer): boolean {
  const seal = /,"crc":"([0-9a-f]{8})"\}$/.exec(line.toString('latin1'));
  if (seal === null) return false;
  return crc(Buffer.concat([line.subarray(0, seal.index), Buffer.from('}')])) === seal[1];
}

function crc(bytes: Buffer): string {
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return ((remainder ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}

function applied(document: unknown, { op, path, value }: Operation): unknown {
  if (path === '') return value;
  const names = path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = names.pop() ?? '';
  const parent = names.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
  if (Array.isArray(parent)) {
    const index = name === '-' ? parent.length : Number(name);
    if (op === 'add') parent.splice(index, 0, value);
    else if (op === 'remove') parent.splice(index, 1);
    else parent[index] = value;
  } else if (op === 'remove') delete (parent as Record<string, unknown>)[name];
  else (parent as Record<string, unknown>)[name] = value;
  return document;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

type Members = Record<string, unknown>;

/** Converts the rebuilt state to the form of state.json, in which the engine's todos are a list. */
function shown({ engine, workflow, ...rest }: Members): Members {
  const { earlier, ...phases } = (workflow ?? {}) as { earlier?: Members[] };
  const left = earlier?.map((one) => ({ ...one, engine: listed(one['engine'] as Members | null) }));
  return {
    ...rest,
    engine: listed(engine as Members | null),
    workflow: left === undefined ? workflow : { ...phases, earlier: left },
  };
}

function listed(engine: Members | null): Members | null {
  if (engine === null) return null;
  const { order, todos, ...rest } = engine as { order: string[]; todos: Record<string, Members> };
  const outputs = Object.fromEntries(
    order.flatMap((id) => (todos[id]?.['outputs'] === undefined ? [] : [[id, todos[id]['outputs']]])),
  );
  return { ...rest, outputs, todos: order.map((id) => ({ ...todos[id], outputs: undefined })) };
}

function contentOf(commits: Read['commits'], digest: string): Buffer {
  const text = commits.find(({ texts }) => texts?.[digest] !== undefined)?.texts?.[digest];
  if (text === undefined) return readFileSync(join(dirname(journal), 'objects', digest));
  if (typeof text === 'string') return Buffer.from(text);
  const options = text.like === undefined ? {} : { dictionary: contentOf(commits, text.like) };
  return inflateSync(Buffer.from(text.deflated, 'base64'), options);
}

let journal: string;
useProject();
beforeEach(() => {
  const agent = agentFor(project);
  agent.drive(agent.start('--recipe specify-quick-autopilot'));
  journal = join(runDir(project, RUN), 'events.jsonl');
});

describe('a reader written from the page', () => {
  it('rebuilds state.json byte for byte, and finds every document', () => {
    const { entries, commits } = readJournal(readFileSync(journal));
    expect(entries.length).toBeGreaterThan(commits.length);
    let state: unknown = null;
    const documents = new Map<string, string | null>();
    for (const { seq, patch, files } of commits) {
      state = patch.reduce(applied, state);
      expect((state as { seq: number }).seq).toBe(seq);
      for (const { path, after } of files) documents.set(path, after);
    }
    const stored = readFileSync(join(runDir(project, RUN), 'state.json'), 'utf8');
    expect(`${JSON.stringify(sorted(shown(state as Members)), null, 1)}\n`).toBe(stored);
    expect([...documents.keys()]).toEqual(expect.arrayContaining(['PLAN.md', 'summary.md', 'recipe.json']));
    for (const [path, digest] of documents) {
      if (digest === null) continue;
      const content = contentOf(commits, digest);
      expect(createHash('sha256').update(content).digest('hex'), path).toBe(digest);
    }
  });

  it('rebuilds that of a workflow and its execution', () => {
    const work = new StandIn({ project, name: 'work', crew: SMALL_CREW, scenario: { plan: smallPlan() } });
    work.drive(work.start('--workflow ultrawork-autopilot --set pull_request=false'));
    const bytes = readFileSync(join(runDir(project, 'work'), 'events.jsonl'));
    const patches = readJournal(bytes).commits.flatMap(({ patch }) => patch);
    const stored = readFileSync(join(runDir(project, 'work'), 'state.json'), 'utf8');
    expect(`${JSON.stringify(sorted(shown(patches.reduce(applied, null) as Members)), null, 1)}\n`).toBe(stored);
    const { engine, workflow } = JSON.parse(stored);
    expect([engine.todos.length, Object.keys(engine.outputs), workflow.earlier.length]).toEqual([3, ['todo-1'], 1]);
  });

  it('finds a large content in a file of its own', () => {
    init(project, 'large', '--recipe', 'specify-quick-autopilot', '--goal', 'Be large');
    const data = JSON.stringify({ boundaries: 'x '.repeat(40_000) });
    expect(devCli(project, ['draft', 'update', 'large', '--section', 'boundaries', '--data', data]).code).toBe(0);
    journal = join(runDir(project, 'large'), 'events.jsonl');
    const { commits } = readJournal(readFileSync(journal));
    const digest = commits.at(-1)?.files.find(({ path }) => path === 'DRAFT.md')?.after ?? '';
    expect(commits.at(-1)?.texts).toBeUndefined();
    expect(contentOf(commits, digest).length).toBeGreaterThan(70_000);
  });

  it('takes a write that was cut off, or a flipped bit at the end, for one that never happened', () => {
    project.replay = false;
    const whole = readFileSync(journal);
    const { entries, commits } = readJournal(whole);
    appendFileSync(journal, '{"v":1,"seq":');
    expect(readJournal(readFileSync(journal)).entries).toEqual(entries);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(flipped.length - 20) ^ 1, flipped.length - 20);
    writeFileSync(journal, flipped);
    expect(readJournal(readFileSync(journal)).commits).toEqual(commits.slice(0, -1));
  });

  it('stops at damage in the middle', () => {
    const bytes = readFileSync(journal);
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    expect(() => readJournal(bytes)).toThrow(Damaged);
  });
});
