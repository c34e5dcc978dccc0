import type { Answer, StreamAnswer } from '../../base/answer.js';
import { ERROR_CODES, type ExitCode } from '../../base/error-codes.js';
import { DevCliError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { RunReference, Screen, ScreenRequest } from '../../base/screen.js';
import { expectTerminalClose } from '../ask.js';
import { followFile, runInFront, showPage } from '../pager.js';
import { toPlainLine, toPlainText } from '../plain.js';
import { renderBell } from '../stream.js';
import { openTerminal, type Terminal } from './terminal.js';

/** What screens need from the call that opens them. */
export interface Host {
  env: NodeJS.ProcessEnv;
  /** Aborted by anything that ends a call. */
  signal: AbortSignal;
  /** False when the terminal is gone. */
  write: (text: string) => boolean;
  /** Opens the screen of a run. @throws DevCliError `NO_SUCH_RUN` and whatever the store throws */
  openRun: (place: RunReference) => Promise<Screen>;
  /** Runs a command as if the person had typed it. @throws DevCliError whatever the command throws */
  execute: (command: string, input: JsonObject, root: string | undefined) => Promise<Answer | StreamAnswer>;
  /** Renders an answer as text, with the commands in it. */
  render: (answer: Answer) => string;
}

/** Milliseconds between two redraws for growing durations. */
const TICK = 1000;

/**
 * Shows a screen, and the screens opened from it, until the person leaves (view.md, Drawing). The terminal is then
 * restored.
 * @returns 0, or 130 where something else ended it
 */
export async function showScreens(first: Screen, host: Host): Promise<ExitCode> {
  expectTerminalClose();
  const gone = new AbortController();
  const signal = AbortSignal.any([host.signal, gone.signal]);
  let onKey = (_key: string): void => {};
  const terminal = openTerminal({ ...host, onKey: (key) => onKey(key), onGone: () => gone.abort() });
  const hear = (heard: typeof onKey): void => {
    onKey = heard;
  };
  const stack = [first];
  try {
    for (let screen = stack.at(-1); screen !== undefined && !signal.aborted; screen = stack.at(-1)) {
      const wish = await showScreen(screen, { terminal, signal, hear });
      if (wish === null || wish.do === 'leave') break;
      try {
        if (wish.do !== 'back') await carryOut(screen, wish, { host, terminal, open: (opened) => stack.push(opened) });
        else if (stack.length > 1) stack.pop()?.close();
      } catch (error) {
        if (!(error instanceof DevCliError)) throw error;
        if (!signal.aborted) screen.tell(describe(error));
      }
    }
  } finally {
    for (const screen of stack) screen.close();
    terminal.close();
  }
  return signal.aborted ? ERROR_CODES.INTERRUPTED : 0;
}

interface Around {
  terminal: Terminal;
  signal: AbortSignal;
  hear: (heard: (key: string) => void) => void;
}

/** Shows one screen and its changes until a key asks for something else; null where the call has ended. */
async function showScreen(screen: Screen, { terminal, signal, hear }: Around): Promise<ScreenRequest | null> {
  const stopped = new AbortController();
  const either = AbortSignal.any([signal, stopped.signal]);
  const draw = () => terminal.draw(() => screen.frame(terminal.size()));
  const tick = setInterval(() => screen.isBusy() && draw(), TICK);
  try {
    return await new Promise<ScreenRequest | null>((resolve, reject) => {
      either.addEventListener('abort', () => resolve(null));
      hear((key) => {
        const wish = screen.press(key, terminal.size());
        draw();
        if (wish !== null) resolve(wish);
      });
      draw();
      follow(screen, { terminal, signal: either, draw }).catch(reject);
    });
  } finally {
    clearInterval(tick);
    stopped.abort();
    hear(() => {});
  }
}

/** Reads changes, and rings. If the screen can no longer be read, it stays as it is and shows the reason. */
async function follow(
  screen: Screen,
  { terminal, signal, draw }: { terminal: Terminal; signal: AbortSignal; draw: () => void },
): Promise<void> {
  try {
    while (!signal.aborted) {
      const rings = await screen.read();
      if (signal.aborted) return;
      for (const one of rings) terminal.write(renderBell(one));
      draw();
      await screen.changed(signal);
    }
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    if (signal.aborted) return;
    screen.tell(describe(error));
    draw();
  }
}

/** Refusals are told in words alone; the code is added only where something has gone wrong. */
function describe({ code, message }: DevCliError): string {
  return toPlainLine(ERROR_CODES[code] === ERROR_CODES.IO ? `${code}: ${message}` : message);
}

interface Hands {
  host: Host;
  terminal: Terminal;
  open: (screen: Screen) => void;
}

/**
 * Fulfils a wish that a screen cannot fulfil by drawing, and shows the result on the screen.
 * @throws DevCliError whatever the wish's command throws
 */
async function carryOut(
  screen: Screen,
  wish: Exclude<ScreenRequest, { do: 'leave' | 'back' }>,
  { host, terminal, open }: Hands,
): Promise<void> {
  const place = screen.place();
  if (place === null) return screen.tell('There is no run here.');
  const { name, root } = place;
  const told = async (command: string) => {
    const answer = await terminal.lend(() => host.execute(command, { name }, root));
    screen.tell('json' in answer ? toPlainLine(host.render(answer)) : '');
  };
  switch (wish.do) {
    case 'open':
      return open(await host.openRun(place));
    case 'answer':
      return told('approve').catch((error) => {
        if (!(error instanceof DevCliError) || error.code !== 'UNKNOWN_CHOICE') throw error;
        screen.tell('The question is left open.');
      });
    case 'hold':
    case 'release':
      return told(wish.do);
    case 'page':
      return terminal.lend(() => openPage(place, host));
    case 'show': {
      const found = await screen.find(wish.document);
      if ('none' in found) return screen.tell(found.none);
      const over = { ...host, isOverScreen: true };
      return terminal.lend(() =>
        'text' in found ? showPage(toPlainText(found.text), over) : followFile(found.growing, over),
      );
    }
  }
}

/** Runs `dev-cli view`, which owns the terminal until the person leaves it. */
async function openPage({ name, root }: RunReference, { env }: Host): Promise<void> {
  const words = ['view', name, ...(root === undefined ? [] : ['--root', root])];
  await runInFront(process.execPath, [process.argv[1] ?? '', ...words], { env });
}
