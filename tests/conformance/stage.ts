import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { canonicalJson, type Json } from '../../src/base/json.js';
import { DISK_READER } from '../../src/project/reader.js';
import { type CaseVerdict, readFiles, runSteps, writeFiles } from '../../src/wings/conformance/case.js';
import type { Case } from '../../src/wings/conformance/fixture.js';
import { readStateSchemas, readSuite, readSuiteRequirements } from '../../src/wings/conformance/suite.js';
import type { TargetReply } from '../../src/wings/conformance/target.js';
import type { CaseFiles } from '../../src/wings/conformance/watch.js';
import { callContractTool } from '../../src/wings/neutral/call.js';
import type { CallName } from '../../src/wings/neutral/specs.js';
import { scratchDirectory } from '../support/scratch.js';
import type { Draft, Mutant } from './draft.js';

/** Runs our tools in this process with the runner's cases and assertions, so that trying a mutant on a case is fast. */

const SHIPPED = { reader: DISK_READER, package: resolve('.') };
const HARNESS = 'dev-cli-agent';
export const PUBLISHED = readSuite('published', SHIPPED, HARNESS);
export const OWN = readSuite('own', SHIPPED, HARNESS);
export const REQUIREMENTS = readSuiteRequirements(SHIPPED);
const RULES = { schemas: readStateSchemas(SHIPPED), harness: HARNESS };

interface Exchange extends TargetReply {
  after: CaseFiles;
}

/** Our tools' replies, cached by files and parameters, because mutants mostly repeat the same calls. */
const known = new Map<string, Promise<Exchange>>();
const parent = scratchDirectory('conformance-');

/** Runs a case against our tools, optionally changed by a mutant. */
export async function perform(one: Case, mutant?: Mutant): Promise<CaseVerdict> {
  let files: CaseFiles = new Map(
    Object.entries(one.before).map(([path, content]) => [path, 'text' in content ? content.text : lay(content.json)]),
  );
  const call = async (step: Case['steps'][number]): Promise<TargetReply> => {
    const key = canonicalJson([one.git, step.name, step.params, [...files].sort()]);
    const found = known.get(key) ?? exchange(one.git, step, files);
    known.set(key, found);
    const draft = toDraft(step, files, await found);
    if (mutant?.calls.includes(step.name) && draft.refused === (mutant.on === 'refusal')) mutant.mutate(draft);
    files = draft.files;
    return { value: JSON.parse(JSON.stringify(draft.reply)) as Json, refused: draft.refused };
  };
  return runSteps(one, { rules: RULES }, call, () => files);
}

function toDraft(
  { name, params }: Case['steps'][number],
  before: CaseFiles,
  { value, refused, after }: Exchange,
): Draft {
  const reply = structuredClone(value) as unknown as Draft['reply'];
  return { name, params, before, reply, refused, files: new Map(after) };
}

async function exchange(git: string, { name, params }: Case['steps'][number], files: CaseFiles): Promise<Exchange> {
  const root = mkdtempSync(join(parent, 'case-'));
  try {
    writeFiles(Object.fromEntries([...files].map(([path, text]) => [path, { text }])), root);
    if (git !== 'none') pretendRepository(root, git);
    const clock = { now: () => Date.now() };
    const context = { workTree: root, clock, ids: { hex: (length: number) => '0'.repeat(length) } };
    try {
      const { value } = await callContractTool(context, name as CallName, params);
      return { value, refused: false, after: readFiles(root) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { value: { error: message }, refused: true, after: readFiles(root) };
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Creates just enough of a repository for the tools to see which branch is checked out. */
function pretendRepository(root: string, git: string): void {
  const head = git === 'detached' ? 'a1b2c3d4'.repeat(5) : `ref: refs/heads/${git}`;
  for (const [path, text] of [
    ['HEAD', head],
    ['config', '[core]\n'],
    ['objects/x', ''],
    ['refs/x', ''],
  ] as const) {
    mkdirSync(dirname(join(root, '.git', path)), { recursive: true });
    writeFileSync(join(root, '.git', path), `${text}\n`);
  }
}

function lay(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Returns whether any of these cases detects a mutant. */
export async function isKilled(mutant: Mutant, cases: readonly Case[]): Promise<boolean> {
  for (const one of cases) {
    const isConcerned = one.steps.some(({ name }) => mutant.calls.includes(name));
    if (isConcerned && (await perform(one, mutant)).kind !== 'pass') return true;
  }
  return false;
}

/** Lists the mutants that are not detected by any case for the requirement that they break. */
export async function listSurvivors(mutants: readonly Mutant[], cases: readonly Case[]): Promise<string[]> {
  const survivors: string[] = [];
  for (const mutant of mutants) {
    const naming = cases.filter(({ requires }) => requires.includes(mutant.requirement));
    if (!(await isKilled(mutant, naming))) survivors.push(mutant.id);
  }
  return survivors;
}
