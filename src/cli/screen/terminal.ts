import { emitKeypressEvents, type Key } from 'node:readline';
import type { TerminalSize } from '../../base/screen.js';
import { ENDING_SIGNALS } from '../../base/signals.js';
import type { Line } from '../../base/spans.js';
import { isClosedTerminalError } from '../ask.js';
import { paintChanges, paintLine, showsColour } from '../paint.js';

/** A terminal as a screen uses it (view.md, Drawing). */
export interface Terminal {
  size(): TerminalSize;
  /**
   * Shows a frame, at most ten per second; of frames drawn faster than that, only the last is shown. Writes nothing if
   * nothing has changed.
   */
  draw(frame: () => readonly Line[]): void;
  /** Writes output that does not move the cursor, such as the bell. */
  write(text: string): void;
  /** Gives the terminal back while `work` uses it, then takes it again and redraws. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the terminal back in its original state. */
  close(): void;
}

interface Options {
  env: NodeJS.ProcessEnv;
  /** Writes to the terminal; returns false if the terminal is gone. */
  write: (text: string) => boolean;
  /** Called with each key: the character that it types or, without one, its name in node:readline. */
  onKey: (key: string) => void;
  /** Called when the terminal is gone. */
  onGone: () => void;
  /** Whether to read keys only, and draw nothing. */
  isBare?: boolean;
}

/** Switches to the alternate screen, hides the cursor and turns off wrapping; `LEAVE` undoes this in reverse order. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** Terminals that support synchronized output show all output between these two sequences at once. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

/** Minimum number of milliseconds between two frames. */
const PACE = 100;

/** How long, in milliseconds, to wait after SIGTSTP for the system to stop the process, which it does not always do. */
const STOPPING = 100;

/**
 * Opens this process's terminal for a screen. Restores it at the end, and also if the process fails or is stopped.
 */
export function openTerminal({ env, write, onKey, onGone, isBare = false }: Options): Terminal {
  const { stdin, stdout } = process;
  const [enter, leave] = isBare ? ['', ''] : [ENTER, LEAVE];
  const isColoured = showsColour(env);
  let isMine = false;
  let latest: (() => readonly Line[]) | null = null;
  let shown: string[] = [];
  let drawnAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const size = (): TerminalSize => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const put = (text: string): void => {
    if (!write(text)) onGone();
  };

  const drawNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!isMine || latest === null) return;
    const lines = latest().map((line) => paintLine(line, isColoured));
    const changed = paintChanges(lines, shown);
    if (changed === '') return;
    shown = lines;
    drawnAt = Date.now();
    put(`${BEGIN}${changed}${END}`);
  };
  const anew = (): void => {
    shown = [];
    drawNow();
  };

  const hear = (text: string | undefined, key: Key): void => {
    if (key.ctrl === true && key.name === 'z') stop();
    else if (key.ctrl === true && key.name === 'l') anew();
    else onKey(nameKey(text, key));
  };
  /** Sets raw mode, unless the terminal was closed. */
  const setMode = (isRaw: boolean): void => {
    try {
      stdin.setRawMode(isRaw);
    } catch (error) {
      if (!isClosedTerminalError(error)) throw error;
      onGone();
    }
  };
  const take = (): void => {
    isMine = true;
    // The shell may have changed the mode without Node noticing, so switch it off and on again.
    setMode(false);
    setMode(true);
    stdin.on('keypress', hear);
    stdin.resume();
    process.on('SIGTSTP', stop);
    // After a signal that ends the call, the code that opened the terminal may not get to close it.
    for (const signal of ENDING_SIGNALS) process.once(signal, giveBack);
    put(enter);
    anew();
  };
  const letGo = (): void => {
    isMine = false;
    clearTimeout(timer);
    timer = undefined;
    stdin.off('keypress', hear);
    process.off('SIGTSTP', stop);
    for (const signal of ENDING_SIGNALS) process.off(signal, giveBack);
  };
  const giveBack = (): void => {
    if (!isMine) return;
    letGo();
    write(leave);
    stdin.pause();
    setMode(false);
  };

  let back: NodeJS.Timeout | undefined;
  /** For Ctrl-Z and SIGTSTP: gives the terminal back and stops like any other program. */
  const stop = (): void => {
    giveBack();
    process.kill(0, 'SIGTSTP');
    // If there is no shell that could continue the process, the system does not stop it. The screen then resumes by
    // itself.
    back = setTimeout(goOn, STOPPING);
  };
  const goOn = (): void => {
    // The terminal has been lent out, so whoever uses it now redraws it.
    if (back === undefined && !isMine) return;
    clearTimeout(back);
    back = undefined;
    letGo();
    take();
  };

  emitKeypressEvents(stdin);
  process.on('SIGCONT', goOn);
  process.on('uncaughtExceptionMonitor', giveBack);
  stdout.on('resize', anew);
  stdin.on('end', onGone);
  take();
  return {
    size,
    draw(frame) {
      latest = frame;
      const wait = drawnAt + PACE - Date.now();
      if (wait <= 0) drawNow();
      else timer ??= setTimeout(drawNow, wait);
    },
    write: put,
    async lend(work) {
      giveBack();
      try {
        return await work();
      } finally {
        take();
      }
    },
    close() {
      giveBack();
      process.off('SIGCONT', goOn);
      process.off('uncaughtExceptionMonitor', giveBack);
      stdout.off('resize', anew);
      stdin.off('end', onGone);
    },
  };
}

/**
 * Listens for single keys, without waiting for a whole line; draws nothing.
 * @param pressed called with each key; Ctrl-C and the end of the input are reported as `q`
 * @returns a function that gives the terminal back in its original state
 */
export function listenForKeys(pressed: (key: string) => void): () => void {
  return openTerminal({
    ...{ env: process.env, write: () => true, isBare: true },
    onKey: (key) => pressed(key === 'ctrl-c' ? 'q' : key),
    onGone: () => pressed('q'),
  }).close;
}

function nameKey(text: string | undefined, { name, ctrl }: Key): string {
  if (ctrl === true) return `ctrl-${name}`;
  return text !== undefined && /^[^\u0000-\u0020\u007f]$/u.test(text)
    ? text
    : name === 'enter'
      ? 'return'
      : (name ?? '');
}
