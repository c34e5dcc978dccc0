import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isName } from '../../base/name.js';
import { readWholePlan } from '../../engine/act/plan/plan.js';
import { listCommands } from '../../plan/model/commands.js';
import { grantTrust } from '../../project/trust.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { listAllExternalCommands } from '../../recipe/external-commands.js';
import { quoteForShell } from '../../registry/render.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import type { RunHead } from '../../run/state.js';
import { openTransaction } from '../../run/transaction.js';
import { renderCommandLines } from './command-lines.js';
import { renderContinuation, requireTerminal } from './person.js';
import { isAtItsPlace } from './place.js';
import { computeTrustDigest, isTrustedHere } from './run-place.js';

/**
 * Finds the run with that name if it came from elsewhere.
 * @returns null if there is none; `trust` then treats the word as the name of a recipe
 * @throws any error of the store
 */
export async function findForeignRun(context: Context, word: string): Promise<RunHead | null> {
  if (!isName(word)) return null;
  const head = await context.store.read(word);
  const { snapshot } = head;
  return snapshot === null || isAtItsPlace(context, snapshot) ? null : { ...head, snapshot };
}

/**
 * `trust <run>`: asks the person to let a run from elsewhere start its commands in this directory (protocol.md §4).
 * @throws DevCliError `TERMINAL_REQUIRED`; `RUN_UNTRUSTED` for any answer except yes; `STATE_CORRUPT`
 */
export async function trustRun(context: Context, head: RunHead): Promise<Answer> {
  const { snapshot } = head;
  const { name } = snapshot;
  const asked = { command: 'trust', input: { recipe: name } };
  const captured = readCapturedRecipe(head);
  const known = listKnownCommands(context, head, captured);
  const commands = known.map(({ argv, cwd }) => renderVisibly(argv, cwd));
  const shown = [
    ...known.flatMap(({ argv, cwd }) => renderCommandLines(argv, cwd)),
    ...(makesCommits(captured) ? [COMMITS] : []),
  ].map((line) => `  ${line}`);
  if (!isTrustedHere(context, snapshot)) {
    requireTerminal(context, asked);
    const answer = await context.ask(
      [
        `The run "${name}" was not begun in this directory by you. If trusted, it may start here:`,
        ...(shown.length > 0 ? shown : ['  (no command)']),
        'Trust it? y or n: ',
      ].join('\n'),
    );
    if (!/^y(es)?$/i.test(answer)) {
      throw new DevCliError('RUN_UNTRUSTED', `"${name}" was not trusted; none of its commands will be started.`, {
        run: name,
        fix: 'Nothing changed.',
        answer: asked,
      });
    }
    grantTrust(context.trustDirectory, computeTrustDigest(context, snapshot));
  }
  return {
    exit: 0,
    json: { ok: true, run: name, commands },
    text: (format) =>
      [`${name} may now start its commands here.`, renderContinuation(name, snapshot.held !== undefined, format)].join(
        '\n',
      ),
  };
}

const COMMITS = 'git commit, for each todo, with the hooks of this repository';

/** Whether the run executes a plan, in any of its phases. */
function makesCommits({ recipe, workflow }: CapturedRecipe): boolean {
  return (workflow?.phases ?? [{ recipe }]).some((phase) => phase.recipe.type === 'engine');
}

interface KnownCommand {
  argv: readonly string[];
  /** Relative to the work tree. */
  cwd: string;
}

/**
 * Lists every command that the run could start, each once. Commands that the state lists as running or queued are
 * included and come first, because a forged state may contain commands that are in neither recipe nor plan.
 */
function listKnownCommands(context: Context, head: RunHead, captured: CapturedRecipe): KnownCommand[] {
  const { commands, engine } = head.snapshot;
  const job = engine?.job?.kind === 'commands' ? engine.job.queue : [];
  const plan =
    engine === null
      ? []
      : listCommands(readWholePlan(openTransaction(context, head, copyState(head.snapshot), captured))).map(
          ({ run, cwd }) => ({
            argv: run,
            cwd,
          }),
        );
  const running = Object.values(commands).map(({ argv, shell, cwd }) => ({
    argv: shell ? ['sh', '-c', ...argv] : argv,
    cwd,
  }));
  const all = [...running, ...job, ...listAllExternalCommands(captured).map((argv) => ({ argv, cwd: '.' })), ...plan];
  return [...new Map(all.map((one) => [renderVisibly(one.argv, one.cwd), one])).values()];
}

/**
 * Renders a command quoted for a shell, with invisible characters escaped, because the person must see everything that
 * will run.
 */
function renderVisibly(argv: readonly string[], cwd: string): string {
  const line = argv.map(quoteForShell).join(' ') + (cwd === '.' ? '' : `   (in ${quoteForShell(cwd)})`);
  return line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
