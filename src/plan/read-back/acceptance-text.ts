import { type Token, takeLeadingMatch } from '../markdown/tokens.js';
import { parseCommandLine } from '../model/command-line.js';
import type { CommandAcceptance } from '../model/commands.js';

/** Parses the lines below `**Acceptance**`. */

/** The expected result of a command, as a line states it. */
export interface CommandFacts {
  /** The exit statuses that pass. */
  exit: number[];
  contains: string | null;
  lacks: string | null;
  cwd: string | null;
  /** Seconds. */
  timeout: number | null;
}

/** A parsed line below `**Acceptance**`. */
export type AcceptanceText =
  | { kind: 'command'; id: string | null; run: string[]; facts: CommandFacts }
  | { kind: 'assertion' | 'human'; id: string | null; text: Token[] }
  | { kind: 'fault'; problem: string };

const FORMS = 'write ac-1: `npm test` exit 0 · ac-2, agent: … · ac-3, person: …';
const START = /^(?:([A-Za-z0-9][A-Za-z0-9_-]*)(?:\s*,\s*(agent|person))?|)\s*(?::\s*|$)/;
const KINDS: Record<string, 'assertion' | 'human'> = { agent: 'assertion', person: 'human' };

/** Returns the id at the beginning of a line, or null. */
function readAcceptanceId(tokens: readonly Token[]): string | null {
  const [, id, judge] = takeLeadingMatch(tokens, START)?.found ?? [];
  return id === undefined || (judge === undefined && id in KINDS) ? null : id;
}

/** Parses a line below `**Acceptance**`. */
export function readAcceptance(tokens: readonly Token[]): AcceptanceText {
  const taken = takeLeadingMatch(tokens, START);
  if (taken === null) return { kind: 'fault', problem: `says neither who judges it nor how; ${FORMS}` };
  const id = readAcceptanceId(tokens);
  const judge = taken.found[2] ?? (id === null ? taken.found[1] : undefined);
  const kind = judge === undefined ? undefined : KINDS[judge];
  if (kind !== undefined) {
    return taken.rest.length === 0
      ? { kind: 'fault', problem: 'contains nothing that can be judged' }
      : { kind, id, text: taken.rest };
  }
  const [first, ...rest] = taken.rest;
  if (first?.kind !== 'code') return { kind: 'fault', problem: `a command must be in backticks; ${FORMS}` };
  const line = parseCommandLine(first.value);
  if (line.kind === 'fault') return { kind: 'fault', problem: line.problem };
  const facts = readCommandFacts(rest);
  return 'problem' in facts
    ? { kind: 'fault', problem: facts.problem }
    : { kind: 'command', id, run: line.argv, facts };
}

function readCommandFacts(tokens: readonly Token[]): CommandFacts | { problem: string } {
  let facts: CommandFacts = { exit: [0], contains: null, lacks: null, cwd: null, timeout: null };
  for (const [word, code] of splitFacts(tokens)) {
    const fact = code === null ? readNumber(word) : readCode(word, code);
    const said = `${word}${code === null ? '' : ` \`${code}\``}`.slice(0, 60);
    if (fact === null) return { problem: `"${said}" says nothing about a command; ${FACTS}` };
    facts = { ...facts, ...fact };
  }
  return facts;
}

const FACTS = 'write exit 0 or 1, prints `ok`, not `not ok`, in `api`, 120 s';

function readNumber(word: string): Partial<CommandFacts> | null {
  const [, exits] = /^exit (\d{1,3}(?: or \d{1,3})*)$/.exec(word) ?? [];
  const [, seconds] = /^(\d{1,9}) ?s$/.exec(word) ?? [];
  if (exits !== undefined) return { exit: exits.split(' or ').map(Number) };
  return seconds === undefined ? null : { timeout: Number(seconds) };
}

function readCode(word: string, code: string): Partial<CommandFacts> | null {
  switch (word) {
    case 'prints':
      return { contains: code };
    case 'not':
    case 'prints not':
      return { lacks: code };
    case 'in':
      return { cwd: code };
    default:
      return null;
  }
}

/** Splits the text after a command into its facts, such as `exit 0` or "prints" with the code after it. */
function splitFacts(tokens: readonly Token[]): [word: string, code: string | null][] {
  const facts: [string, string | null][] = [['', null]];
  for (const token of tokens) {
    const last = facts.at(-1) ?? ['', null];
    if (token.kind === 'code') {
      if (last[1] === null) last[1] = token.value;
      else facts.push(['', token.value]);
      continue;
    }
    const [first = '', ...more] = token.value.split(',');
    last[0] = last[1] === null ? last[0] + first : `${last[0]} ${first}`;
    for (const word of more) facts.push([word, null]);
  }
  return facts
    .map(([word, code]): [string, string | null] => [word.trim(), code])
    .filter(([word, code]) => word !== '' || code !== null);
}

/** Applies an edited line to a command: changes only the facts that differ between the old line and the new one. */
export function applyCommandFacts(
  item: CommandAcceptance,
  before: CommandFacts,
  after: CommandFacts,
): CommandAcceptance {
  const expect: Record<string, unknown> = { ...item.expect };
  if (String(before.exit) !== String(after.exit))
    expect['exitCode'] = after.exit.length === 1 ? after.exit[0] : after.exit;
  setOrDrop(expect, 'stdoutContains', before.contains, after.contains);
  setOrDrop(expect, 'stdoutLacks', before.lacks, after.lacks);
  const changed: Record<string, unknown> = { ...item };
  if (Object.keys(expect).length > 0 || item.expect !== undefined) changed['expect'] = expect;
  setOrDrop(changed, 'cwd', before.cwd, after.cwd);
  setOrDrop(changed, 'timeout', before.timeout, after.timeout);
  return changed as CommandAcceptance;
}

function setOrDrop(target: Record<string, unknown>, key: string, before: unknown, after: unknown): void {
  if (before === after) return;
  if (after === null) delete target[key];
  else target[key] = after;
}
