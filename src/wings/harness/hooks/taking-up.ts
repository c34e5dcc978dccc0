import { DevCliError } from '../../../base/errors.js';
import { SHELL_TOOLS } from '../../../generated/harness-events.js';
import { HIDES_SESSION } from '../../../generated/harnesses.js';
import type { HookEvent } from '../../../protocol/ports.js';
import { type Context, findOwnRun } from '../../../run/context.js';
import { bindSession } from '../../../run/other-executions.js';
import { parseShell } from '../../../work/shell/syntax.js';
import type { Word } from '../../../work/shell/words.js';
import { findBoundRun, readRunHead } from '../guard/judging-run.js';

/** Binds a session to a run (harness.md, Sessions). */

const VERBS = ['init', 'use', 'step'] as const;

/** A call of dev-cli in a shell command. */
interface OwnCall {
  verb: (typeof VERBS)[number];
  /** Words that may be the name of the run, in order. */
  names: string[];
}

/** Words that may precede the name of a program that a command runs. */
const BEFORE = /^(?:[A-Za-z_]\w*=.*|env|timeout|nohup|time|command|exec|!|\{|if|then|do|else|while|\d+[smh]?|-\S*)$/s;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Maximum number of words after the verb that may be the run's name. */
const MOST = 8;

/** Lists the dev-cli calls that a command makes, not those that it prints, searches for or writes into a file. */
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
    // `step` is followed by its subcommand.
    return [{ verb, names: rest.slice(verb === 'step' ? 1 : 0, MOST) }];
  });
}

/** Returns the text of a word; empty if only the shell knows it. */
function readWord(word: Word): string {
  return word.every((part) => typeof part === 'string') ? word.join('') : '';
}

/**
 * Binds a session to the run that its main agent has just named: in a call of `use`, or, if the session has no live
 * run, of `init` or `step`. Where shell commands do not know the session's id, `init` could not bind the session
 * itself, so a call of `init` binds it here even if it has a live run.
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
 * Lets a new session continue the run of its work tree, if the run is live and the session that was bound to it has
 * ended. A run without any session, such as one begun on a terminal or in CI, is left alone.
 */
export async function bindToActiveRun(context: Context, session: string): Promise<void> {
  const active = await findOwnRun(context);
  const head = active === null ? null : await readRunHead(context, active);
  if (head?.snapshot.status !== 'live') return;
  const { name: run, runId } = head.snapshot;
  await context.store.changeSession(session, { becomes: 'successor', run, runId });
}

/**
 * Records that hooks work in a session that was bound by a call of dev-cli, because the binding alone does not show
 * that.
 */
export async function recordHooksHeard({ store }: Context, session: string): Promise<void> {
  try {
    const mark = await store.sessionMark(session);
    if (mark !== null && mark.run !== null && !mark.heard) await store.changeSession(session, { becomes: 'heard' });
  } catch (error) {
    // Ignored, because the hook's answer matters more.
    if (!(error instanceof DevCliError)) throw error;
  }
}

async function findLive(context: Context, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const status = (await readRunHead(context, name))?.snapshot.status;
    if (status !== undefined) return status === 'live' || status === 'halted' ? name : null;
  }
  return null;
}
