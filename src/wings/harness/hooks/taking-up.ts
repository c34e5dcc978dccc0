import { DevCliError } from '../../../base/errors.js';
import { SHELL_TOOLS } from '../../../generated/harness-events.js';
import { HIDES_SESSION } from '../../../generated/harnesses.js';
import type { HookEvent } from '../../../protocol/ports.js';
import { type Context, findOwnRun } from '../../../run/context.js';
import { bindSession } from '../../../run/other-executions.js';
import { parseShell } from '../../../work/shell/syntax.js';
import type { Word } from '../../../work/shell/words.js';
import { findBoundRun, readHead } from '../guard/judging-run.js';

/** How a session takes up a run (harness.md, Sessions). */

const VERBS = ['init', 'use', 'step'] as const;

/** A call of dev-cli in a shell command. */
interface OwnCall {
  verb: (typeof VERBS)[number];
  /** Words that may be the name of the run, in order. */
  names: string[];
}

/** Words that may stand before a program, and run it. */
const BEFORE = /^(?:[A-Za-z_]\w*=.*|env|timeout|nohup|time|command|exec|!|\{|if|then|do|else|while|\d+[smh]?|-\S*)$/s;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Words after the verb that are looked at. */
const MOST = 8;

/** Lists the calls that a command makes, not those that it prints, searches for or writes into a file. */
function listOwnCalls(command: string): OwnCall[] {
  return parseShell(command).flatMap((item): OwnCall[] => {
    if (typeof item === 'string') return [];
    const words = item.words.map(readWord);
    const at = words.findIndex((word) => word === 'dev-cli' || word.endsWith('/dev-cli'));
    if (at === -1 || !words.slice(0, at).every((word) => BEFORE.test(word))) return [];
    const [first, ...rest] = words
      .slice(at + 1)
      .filter((word, index, all) => NAME.test(word) && !word.startsWith('-') && all[index - 1] !== '--root');
    const verb = VERBS.find((one) => one === first);
    if (verb === undefined) return [];
    // `step` is followed by what is done.
    return [{ verb, names: rest.slice(verb === 'step' ? 1 : 0, MOST) }];
  });
}

/** What a word says; empty where only a shell could know. */
function readWord(word: Word): string {
  return word.every((part) => typeof part === 'string') ? word.join('') : '';
}

/**
 * Binds a session to the run that its main agent has just taken up: by `use`; by `init` and `step`, where it has no live run of its
 * own. Where a shell is told no session, `init` counts always; elsewhere it has bound the session itself, or refused to.
 */
export async function bindByCall(context: Context, event: Extract<HookEvent, { on: 'post-tool-use' }>): Promise<void> {
  const { command } = event.input;
  if (event.agent !== null || !SHELL_TOOLS.includes(event.tool) || typeof command !== 'string') return;
  if (!command.includes('dev-cli')) return;
  for (const { verb, names } of listOwnCalls(command)) {
    const name = await findLive(context, names);
    if (name === null) continue;
    const isFirst = verb === 'use' || (verb === 'init' && HIDES_SESSION[context.caller.harness ?? ''] === true);
    const bound = await findBoundRun(context, event.session);
    if (bound?.snapshot.name !== name && (isFirst || bound === null)) await bindSession(context, event.session, name);
  }
}

/**
 * Has a session that begins go on with the run of its work tree, where it is live and another session had it when that ended. A run that no
 * session had, as one begun on a terminal or in CI, is nobody's.
 */
export async function takeUpActive(context: Context, session: string): Promise<void> {
  const active = await findOwnRun(context);
  const head = active === null ? null : await readHead(context, active);
  if (head?.snapshot.status !== 'live') return;
  const { name: run, runId } = head.snapshot;
  await context.store.changeSession(session, { becomes: 'successor', run, runId });
}

/** Notes that hooks are heard in a session that a call of dev-cli has bound: by that alone it is not known. */
export async function noteHeard({ store }: Context, session: string): Promise<void> {
  try {
    const mark = await store.sessionMark(session);
    if (mark !== null && mark.run !== null && !mark.heard) await store.changeSession(session, { becomes: 'heard' });
  } catch (error) {
    // What the hook answers counts for more.
    if (!(error instanceof DevCliError)) throw error;
  }
}

async function findLive(context: Context, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const status = (await readHead(context, name))?.snapshot.status;
    if (status !== undefined) return status === 'live' || status === 'halted' ? name : null;
  }
  return null;
}
