import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { JsonObject } from '../../../src/base/json.js';
import { findMisfit, type OutlineSchema } from '../../../src/documents/outline.js';
import { RunnerProcesses } from '../../../src/jobs/runner-process.js';
import { createCleaner } from '../../../src/wings/runtime/tools/bounds.js';
import type { Sandbox } from '../../../src/wings/runtime/tools/sandbox.js';

import type { CallPlan, ToolResult, ToolScope } from '../../../src/wings/runtime/tools/tool.js';
import { createTools } from '../../../src/wings/runtime/tools/tools.js';
import { scratchDirectory } from '../../support/scratch.js';

/** A work tree, and the tools that a session has in it. */

export interface Bench {
  tree: string;
  site: ToolScope;
  runners: RunnerProcesses;
  put: (path: string, content: string | Buffer) => void;
  get: (path: string) => string;
  plan: (name: string, input: JsonObject) => Promise<CallPlan>;
  /** Calls a tool and returns its result; a refusal is returned as a result, too. */
  call: (name: string, input: JsonObject) => Promise<ToolResult>;
  /** Gives the calls that follow a new directory, as a session gives each of its calls one. */
  next: () => void;
}

export function openBench({
  git = false,
  sandbox = null,
  env = {},
  ...more
}: {
  git?: boolean;
  sandbox?: Sandbox | null;
  env?: Record<string, string>;
  promised?: readonly string[];
  root?: string;
  signal?: AbortSignal;
} = {}): Bench {
  const base = realpathSync(scratchDirectory('tools'));
  const tree = join(base, 'tree');
  mkdirSync(tree);
  if (git) execFileSync('git', ['init', '-q'], { cwd: tree });
  const read = new Map<string, string>();
  const runners = new RunnerProcesses();
  const tools = createTools({
    marks: { digestAtRead: (path) => read.get(path) ?? null, note: (path, digest) => void read.set(path, digest) },
    sandbox,
    hidden: ['SECRET_KEY_OF_RUNTIME'],
    env: { PATH: process.env['PATH'], HOME: base, ...env },
    runner: resolve('dist/runner.cjs'),
    runners,
  });
  let calls = 0;
  const site: ToolScope = {
    workTree: tree,
    root: tree,
    promised: [],
    own: join(tree, 'node_modules/dev-cli'),
    directory: join(base, 'calls/0'),
    clean: createCleaner(['a-key-of-the-runtime']),
    signal: new AbortController().signal,
    ...more,
  };
  const find = (name: string) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(name);
    return tool;
  };
  const plan = async (name: string, input: JsonObject): Promise<CallPlan> => {
    const misfit = judgeInput(find(name).schema, input);
    if (misfit !== null) throw new Error(misfit);
    return find(name).prepare(input, site);
  };
  return {
    tree,
    site,
    runners,
    put: (path, content) => {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), content);
    },
    get: (path) => readFileSync(join(tree, path), 'utf8'),
    plan,
    next: () => {
      site.directory = join(base, `calls/${++calls}`);
    },
    call: async (name, input) => {
      try {
        const found = await plan(name, input);
        return await (found.kind === 'file' ? found.write() : found.run());
      } catch (error) {
        return { output: (error as Error).message, isError: true };
      }
    },
  };
}

/** Returns why an input does not conform to its tool's schema; null if it does. */
export function judgeInput(schema: JsonObject, input: unknown): string | null {
  const fault = findMisfit(schema as OutlineSchema, input);
  return fault === null ? null : `${fault.at.slice(1) || 'the input'} ${fault.problem}`;
}
