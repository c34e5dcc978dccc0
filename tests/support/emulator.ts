import xterm from '@xterm/headless';

/** What a terminal shows after text has been written to it. */
interface Shown {
  /** Without trailing spaces. */
  lines: string[];
  /** How many lines continue the previous one. */
  wrapped: number;
  /** How many lines have scrolled off the screen. */
  scrolled: number;
}

/** Writes the text to a terminal emulator of this size, and returns what it shows. */
export async function emulate(text: string, columns: number, rows: number): Promise<Shown> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 500 });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const all = Array.from({ length: active.length }, (_, index) => active.getLine(index));
  const shown = {
    lines: all.slice(-rows).map((line) => line?.translateToString(true) ?? ''),
    wrapped: all.filter((line) => line?.isWrapped === true).length,
    scrolled: active.baseY,
  };
  terminal.dispose();
  return shown;
}
