import { emitKeypressEvents, type Key } from 'node:readline';
import type { Size } from '../../base/screen.js';
import { ENDING_SIGNALS } from '../../base/signals.js';
import type { Line } from '../../base/spans.js';
import { isOfClosedTerminal } from '../ask.js';
import { paintChanges, paintLine, showsColour } from '../paint.js';

/** A terminal as a screen has it (view.md, Drawing). */
export interface Terminal {
  size(): Size;
  /** Shows a frame, at most ten a second: of several in between only the last. Nothing is written where nothing differs. */
  draw(frame: () => readonly Line[]): void;
  /** Writes something that moves nothing, such as the bell. */
  write(text: string): void;
  /** Gives the terminal back for as long as something else has it, then takes it again and draws anew. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the terminal back as it was. */
  close(): void;
}

interface Options {
  env: NodeJS.ProcessEnv;
  /** False when the terminal has gone. */
  write: (text: string) => boolean;
  /** By the sign that a key writes, else what node:readline calls it. */
  onKey: (key: string) => void;
  /** The terminal has gone. */
  onGone: () => void;
  /** Only keys are taken; nothing is drawn. */
  isBare?: boolean;
}

/** Alternate screen, no cursor, no automatic wrap; and back, in the opposite order. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** Terminals that know it show what stands between these at once. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

/** Milliseconds between two frames. */
const PACE = 100;

/** Milliseconds within which a stopped process has stopped. */
const STOPPING = 100;

/** Opens the terminal at both ends of this process as a screen. It is given back at the end, also where the process fails or is stopped. */
export function openTerminal({ env, write, onKey, onGone, isBare = false }: Options): Terminal {
  const { stdin, stdout } = process;
  const [enter, leave] = isBare ? ['', ''] : [ENTER, LEAVE];
  const isColoured = showsColour(env);
  let isMine = false;
  let latest: (() => readonly Line[]) | null = null;
  let shown: string[] = [];
  let drawnAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const size = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
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
  /** A terminal that was closed has none. */
  const setMode = (isRaw: boolean): void => {
    try {
      stdin.setRawMode(isRaw);
    } catch (error) {
      if (!isOfClosedTerminal(error)) throw error;
      onGone();
    }
  };
  const take = (): void => {
    isMine = true;
    // The shell has put its own mode in place of this one, of which node knows nothing.
    setMode(false);
    setMode(true);
    stdin.on('keypress', hear);
    stdin.resume();
    process.on('SIGTSTP', stop);
    // What ends the call may not wait for who has opened this.
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
  /** Ctrl-Z, or its signal: stops as any program does, with the terminal as the shell wants it. */
  const stop = (): void => {
    giveBack();
    process.kill(0, 'SIGTSTP');
    // Where nobody could let it go on it was not stopped.
    back = setTimeout(goOn, STOPPING);
  };
  const goOn = (): void => {
    // Lent: who has the terminal draws by itself.
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
 * Hears single keys, without the line that the terminal would wait for; nothing is drawn.
 * @param pressed is told each key; Ctrl-C and the end of the input are `q`
 * @returns gives the terminal back as it was
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
