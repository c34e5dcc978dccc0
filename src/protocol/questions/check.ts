// outside: hook

import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isName } from '../../base/name.js';
import { checkDocument, getDocumentKind } from '../../blocks/commands/check.js';
import { checkFile } from '../../blocks/evidence.js';
import { needsVerdict } from '../../recipe/declared.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import type { ReadContext } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import type { StreamState } from '../../store/store.js';
import { buildDocumentReport, type DocumentFindings } from '../../views/check.js';
import type { WithPorts } from '../ports.js';

/**
 * `check <file>`: validates a file that an agent has promised, by the same rules as its acknowledgement will, or
 * another kind of document for which a wing (src/wings/) has a check (documents.md, check). Read-only.
 * @param file path from the command line: relative to `cwd`, or to the root if it begins with `.dev/`
 * @param cwd absolute directory of the call
 * @throws DevCliError `USAGE` without a file; any error of the store
 */
export async function checkDocumentFile(
  context: ReadContext & WithPorts<'checks'>,
  file: string | undefined,
  cwd: string,
): Promise<Answer> {
  if (file === undefined) throw new DevCliError('USAGE', 'Say what to check: a file, or a task with --action.');
  const { shown, kind, ...findings } = await judgeFile(context, file, cwd);
  return buildDocumentReport(shown, kind, findings);
}

/**
 * Returns the findings on a file, for `checkDocumentFile` and for a hook that saw the file being written. Parameters
 * and errors as for `checkDocumentFile`.
 */
export async function judgeFile(
  context: ReadContext & WithPorts<'checks'>,
  file: string,
  cwd: string,
): Promise<DocumentFindings & { shown: string; kind: string }> {
  const path = locateDocument(context, file, cwd);
  const head = await context.store.read(path.stream);
  const evidence = checkFile(head.files, path.inRun, undefined);
  if (!evidence.ok) {
    const problems = [{ target: file, problem: evidence.problem }];
    return { shown: path.shown, kind: 'text', problems, warnings: [] };
  }
  const checks = isGenericKind(path.inRun) ? await Promise.all(context.ports.checks.map((load) => load())) : [];
  const added = checks.flat().find(({ covers }) => covers(path.shown));
  if (added !== undefined) return { shown: path.shown, kind: added.kind, ...added.judge(evidence.text) };
  return { shown: path.shown, ...checkDocument(path.inRun, evidence.text, await findExpectations(head, path.inRun)) };
}

/**
 * Whether the file is just some JSON or text to the core. Only then are the wings' checks asked whether they know it.
 */
function isGenericKind(path: string): boolean {
  const kind = getDocumentKind(path);
  return kind === 'json' || kind === 'text';
}

/**
 * Finds what the acknowledgement of the pending action will demand of this report: the agent it must be from, and
 * whether it needs a verdict. Empty if no agent of that action is to write this file.
 */
async function findExpectations(
  head: StreamState<RunState>,
  path: string,
): Promise<{ agent?: string; verdict?: boolean }> {
  const action = head.snapshot?.pendingAction;
  if (head.snapshot === null || action?.action !== 'dispatch-subagents') return {};
  const { agents } = head.snapshot;
  const row = action.agents.find(({ id }) => agents[id]?.output === path);
  if (row === undefined) return {};
  const block = readCapturedRecipe(head).recipe.blocks.find(({ id }) => id === action.block);
  return { agent: row.id, ...(block !== undefined && 'agents' in block ? { verdict: needsVerdict(block, path) } : {}) };
}

/** Finds the run that a file belongs to, its path among that run's documents, and its path relative to the root. */
function locateDocument(
  context: ReadContext,
  file: string,
  cwd: string,
): { stream: string; inRun: string; shown: string } {
  const absolute = isAbsolute(file) ? file : resolve(file.startsWith('.dev/') ? context.root : cwd, file);
  const within = relative(context.root, absolute).split(sep).join('/');
  const match = /^\.dev\/specs\/([^/]+)\/(.+)$/.exec(within);
  if (match?.[1] !== undefined && match[2] !== undefined && isName(match[1])) {
    return { stream: match[1], inRun: match[2], shown: within };
  }
  return { stream: 'none', inRun: `/${within}`, shown: within };
}
