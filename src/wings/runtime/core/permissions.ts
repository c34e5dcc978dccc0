import { isSameJson, type JsonObject, parseOrNull } from '../../../base/json.js';
import { createGlobTest, normalizePaths } from '../../../work/paths.js';
import { listShellCommands } from '../../../work/shell/writes.js';
import type { Need, Tool } from '../tools/tool.js';
import { readPlainLine } from './plain-line.js';
import { fitsWords, type Rule, type Rules, type Target } from './rules.js';
import { findShippedDenial, isShippedAllowed, listReadings } from './shipped-rules.js';

/** Whether a call may be carried out (runtime.md, Permissions). Pure. */

/** What is allowed where no rule fits; `workspace-write` where nothing else is said. */
export const MODES = ['read-only', 'workspace-write', 'danger-full-access', 'prompt'] as const;
export type Mode = (typeof MODES)[number];

/** A call, as far as it is judged. */
export interface JudgedCall {
  mode: Mode;
  rules: Rules;
  /** In a drive, what git writes is denied, too. */
  isDriven: boolean;
  /** The tool's name. */
  name: string;
  needs: Need;
  target: Target;
  /** Whether a shell line would run in the sandbox. */
  isInSandbox: boolean;
  /** Whether a path of it is one that may hold secrets: it takes a rule, whatever the mode. */
  isSecret: boolean;
}

/** `reason`: the result of the call where it is not carried out. */
export type Judgement = { judged: 'allow' } | { judged: 'deny' | 'ask'; reason: string };

/**
 * What a call of a tool is about, as rules compare it.
 * @param real where its path really leads, absolute, if it names one and that is known
 */
export function readTarget(
  tool: Pick<Tool, 'target'>,
  input: JsonObject,
  { workTree, real }: { workTree: string; real?: string },
): Target {
  const target = tool.target(input);
  if (target === null) return { input };
  if ('command' in target) return target;
  return { paths: [...new Set(normalizePaths(workTree, [target.path || '.', real ?? (target.path || '.')]))] };
}

/** Whether a deny rule fits, which neither hook, mode nor person can open. @returns its refusal */
export function findDenial({ rules, name, target, isDriven }: JudgedCall): string | null {
  const shipped = listCommands(target).flatMap((words) => findShippedDenial(words, isDriven) ?? []);
  const rule = findRule(rules.deny, name, target)?.text ?? shipped[0];
  return rule === undefined ? null : `denied by rule ${rule}`;
}

/** Judges a call: by the rules that deny, ask and allow, in this order, then by the mode. */
export function judge(call: JudgedCall): Judgement {
  const { mode, rules, name, target } = call;
  const denied = findDenial(call);
  if (denied !== null) return { judged: 'deny', reason: denied };
  const asking = findRule(rules.ask, name, target);
  if (asking !== null) return { judged: 'ask', reason: `requires approval by rule ${asking.text}` };
  // A rule for the whole tool was not made with secrets in mind.
  const own = rules.allow.filter(({ tool, about }) => tool === name && (about !== null || !call.isSecret));
  if (allows(own, target)) return { judged: 'allow' };
  const isContained = call.isInSandbox && 'command' in target && call.needs === 'danger-full-access';
  const byMode = judgeByMode(mode, isContained ? 'workspace-write' : call.needs);
  const reason = 'requires an allow rule that names the file: it may hold secrets';
  return call.isSecret && byMode.judged === 'allow' ? { judged: 'ask', reason } : byMode;
}

function judgeByMode(mode: Mode, needs: Need): Judgement {
  if (needs === 'read-only' || mode === 'danger-full-access') return { judged: 'allow' };
  if (mode === 'read-only') return { judged: 'deny', reason: `requires ${needs} permission; mode is ${mode}` };
  if (mode === needs) return { judged: 'allow' };
  return { judged: 'ask', reason: `requires approval to escalate from ${mode} to ${needs}` };
}

/** Who may not edit a file may not write it, and the reverse. */
const WRITES = ['write_file', 'edit_file'];

/** Finds a rule that fits any of what a call is about. */
function findRule(rules: readonly Rule[], name: string, target: Target): Rule | null {
  const commands = listCommands(target);
  const fits = (about: string): boolean => {
    if ('input' in target) return isSameJson(parseOrNull(about), target.input);
    // Without regard to case: some file systems have none.
    if ('paths' in target) return lower(target.paths).some(createGlobTest(lower([about])));
    return commands.some((words) => fitsWords(about, words));
  };
  const isMeant = (tool: string) => tool === name || (WRITES.includes(tool) && WRITES.includes(name));
  return rules.find(({ tool, about }) => isMeant(tool) && (about === null || fits(about))) ?? null;
}

const lower = (texts: readonly string[]): string[] => texts.map((text) => text.toLowerCase());

/** All that a shell line comes to, by each of its names. */
const listCommands = (target: Target): string[][] =>
  'command' in target ? listShellCommands(target.command).flatMap(listReadings) : [];

/** Whether rules of the tool fit all of what a call is about. */
function allows(own: readonly Rule[], target: Target): boolean {
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
  // What a program is handed to run takes a rule of its own, however plain the line.
  const outer = new Set(plain.map(({ words }) => JSON.stringify(words)));
  const inner = listShellCommands(target.command).filter((words) => !outer.has(JSON.stringify(words)));
  return plain.every((one) => fits(one.words) || isShippedAllowed(one)) && inner.every(fits);
}
