import { isSameJson, type JsonObject, parseOrNull } from '../../../base/json.js';
import { createGlobTest, normalizePaths } from '../../../work/paths.js';
import { listShellCommands } from '../../../work/shell/writes.js';
import type { PermissionLevel, SessionTool } from '../tools/tool.js';
import { readPlainLine } from './plain-line.js';
import { fitsWords, type Rule, type RulesByEffect, type RuleTarget } from './rules.js';
import { findShippedDenial, isShippedAllowed, listReadings } from './shipped-rules.js';

/** Decides whether a call may be carried out (runtime.md, Permissions). Pure. */

/** The modes. The mode decides about each call for which there is no rule; the default is `workspace-write`. */
export const MODES = ['read-only', 'workspace-write', 'danger-full-access', 'prompt'] as const;
export type Mode = (typeof MODES)[number];

/** A call, with everything that its judgement depends on. */
export interface JudgedCall {
  mode: Mode;
  rules: RulesByEffect;
  /** Whether the call is made in a drive; there, git commands that write are denied. */
  isDriven: boolean;
  /** The tool's name. */
  name: string;
  needs: PermissionLevel;
  target: RuleTarget;
  /** Whether a shell line runs in the sandbox. */
  isInSandbox: boolean;
  /** Whether the call names a file that may hold secrets; such a call needs an allow rule in every mode. */
  isSecret: boolean;
}

/** The decision about a call. If the call is not carried out, the model gets `reason` as its result. */
export type PermissionDecision = { judged: 'allow' } | { judged: 'deny' | 'ask'; reason: string };

/**
 * Returns what a call is about, in the form with which rules are compared.
 * @param real the absolute path to which the call's path leads, if known
 */
export function readTarget(
  tool: Pick<SessionTool, 'target'>,
  input: JsonObject,
  { workTree, real }: { workTree: string; real?: string },
): RuleTarget {
  const target = tool.target(input);
  if (target === null) return { input };
  if ('command' in target) return target;
  return { paths: [...new Set(normalizePaths(workTree, [target.path || '.', real ?? (target.path || '.')]))] };
}

/**
 * Finds a deny rule that fits a call; no hook, mode or person can override it.
 * @returns the refusal; null if no rule fits
 */
export function findDenial({ rules, name, target, isDriven }: JudgedCall): string | null {
  const shipped = listCommands(target).flatMap((words) => findShippedDenial(words, isDriven) ?? []);
  const rule = findRule(rules.deny, name, target)?.text ?? shipped[0];
  return rule === undefined ? null : `denied by rule ${rule}`;
}

/** Judges a call: by the deny, ask and allow rules, in this order, then by the mode. */
export function judgeToolCall(call: JudgedCall): PermissionDecision {
  const { mode, rules, name, target } = call;
  const denied = findDenial(call);
  if (denied !== null) return { judged: 'deny', reason: denied };
  const asking = findRule(rules.ask, name, target);
  if (asking !== null) return { judged: 'ask', reason: `requires approval by rule ${asking.text}` };
  // An allow rule for a whole tool, such as `read_file`, does not permit files that may hold secrets.
  const own = rules.allow.filter(({ tool, about }) => tool === name && (about !== null || !call.isSecret));
  if (allows(own, target)) return { judged: 'allow' };
  const isContained = call.isInSandbox && 'command' in target && call.needs === 'danger-full-access';
  const byMode = judgeByMode(mode, isContained ? 'workspace-write' : call.needs);
  const reason = 'requires an allow rule that names the file, because it may contain secrets';
  return call.isSecret && byMode.judged === 'allow' ? { judged: 'ask', reason } : byMode;
}

function judgeByMode(mode: Mode, needs: PermissionLevel): PermissionDecision {
  if (needs === 'read-only' || mode === 'danger-full-access') return { judged: 'allow' };
  if (mode === 'read-only') return { judged: 'deny', reason: `requires ${needs} permission; mode is ${mode}` };
  if (mode === needs) return { judged: 'allow' };
  return { judged: 'ask', reason: `requires approval to escalate from ${mode} to ${needs}` };
}

/** Both tools change files: a deny or ask rule for one of them is applied to the other as well. */
const WRITES = ['write_file', 'edit_file'];

/** Finds a deny or ask rule that fits a call. If the call has several paths or commands, it need fit only one. */
function findRule(rules: readonly Rule[], name: string, target: RuleTarget): Rule | null {
  const commands = listCommands(target);
  const fits = (about: string): boolean => {
    if ('input' in target) return isSameJson(parseOrNull(about), target.input);
    // Case is ignored: on some file systems, `A` and `a` are the same file.
    if ('paths' in target) return lower(target.paths).some(createGlobTest(lower([about])));
    return commands.some((words) => fitsWords(about, words));
  };
  const isMeant = (tool: string) => tool === name || (WRITES.includes(tool) && WRITES.includes(name));
  return rules.find(({ tool, about }) => isMeant(tool) && (about === null || fits(about))) ?? null;
}

const lower = (texts: readonly string[]): string[] => texts.map((text) => text.toLowerCase());

/** Lists all commands that a shell line runs, each in every form that rules can match. */
const listCommands = (target: RuleTarget): string[][] =>
  'command' in target ? listShellCommands(target.command).flatMap(listReadings) : [];

/** Returns whether the tool's allow rules fit a call. If it has several paths or commands, each must fit a rule. */
function allows(own: readonly Rule[], target: RuleTarget): boolean {
  const abouts = own.flatMap(({ about }) => about ?? []);
  if (abouts.length < own.length) return true;
  if ('input' in target) return abouts.some((about) => isSameJson(parseOrNull(about), target.input));
  if ('paths' in target) {
    const inside = target.paths.filter((path) => !/^\.\.(?:\/|$)/.test(path)).filter(createGlobTest(abouts));
    return inside.length > 0 && inside.length === target.paths.length;
  }
  const plain = readPlainLine(target.command);
  if (plain === null) return false;
  const fits = (words: string[]) => abouts.some((about) => fitsWords(about, words));
  // In `sudo git push`, a rule for `sudo` is not enough: the inner command, `git push`, needs an allow rule as well.
  const outer = new Set(plain.map(({ words }) => JSON.stringify(words)));
  const inner = listShellCommands(target.command).filter((words) => !outer.has(JSON.stringify(words)));
  return plain.every((one) => fits(one.words) || isShippedAllowed(one)) && inner.every(fits);
}
