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

/** The services that screens need from the call that opens them. */
export interface Host {
  env: NodeJS.ProcessEnv;
  /** Aborted by any signal or event that ends the call. */
  signal: AbortSignal;
  /** Writes to the terminal; returns false if the terminal is gone. */
  write: (text: string) => boolean;
  /** Opens the screen of a run. @throws DevCliError `NO_SUCH_RUN`; any error of the store */
  openRun: (place: RunReference) => Promise<Screen>;
  /** Runs a command as if the person had typed it. @throws DevCliError any error of the command */
  execute: (command: string, input: JsonObject, root: string | undefined) => Promise<Answer | StreamAnswer>;
  /** Renders an answer as text, with the commands in it. */
  render: (answer: Answer) => string;
}

/** Milliseconds between redraws that update elapsed times. */
const TICK = 1000;

/**
 * Shows a screen, and the screens opened from it, until the person leaves (view.md, Drawing), then restores the
 * terminal.
 * @returns 0, or 130 if a signal or a closed terminal ended it
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

/**
 * Shows one screen and its changes until a key press asks for something that drawing cannot do, and returns that
 * request; null if the call has ended.
 */
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

/**
 * Reads a screen's changes, redraws it, and rings the bell. If reading fails, the screen stays and shows the reason.
 */
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

/** Describes an error without its code, except for a fault such as an I/O error, where the code helps. */
function describe({ code, message }: DevCliError): string {
  return toPlainLine(ERROR_CODES[code] === ERROR_CODES.IO ? `${code}: ${message}` : message);
}

interface Hands {
  host: Host;
  terminal: Terminal;
  open: (screen: Screen) => void;
}

/**
 * Carries out a request that needs more than drawing, and shows the result on the screen.
 * @throws DevCliError any error of the requested command
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
