const END = '\u0003';
const SUSPEND = '\u001a';

/**
 * Hears single keys at the terminal of this process, without the line that the terminal would wait for.
 * @param pressed is told each key as the terminal sends it; Ctrl-C and the end of the input are `q`
 * @returns gives the terminal back as it was
 */
export function listenForKeys(pressed: (key: string) => void): () => void {
  const { stdin } = process;
  const take = () => void stdin.setRawMode(true).resume();
  const giveBack = () => void stdin.setRawMode(false).pause();
  const suspend = () => {
    giveBack();
    process.once('SIGCONT', take);
    process.kill(process.pid, 'SIGTSTP');
  };
  const hear = (bytes: Buffer) => {
    for (const key of bytes.toString('utf8')) {
      if (key === SUSPEND) suspend();
      else pressed(key === END ? 'q' : key);
    }
  };
  const end = () => pressed('q');
  stdin.on('data', hear).on('end', end);
  take();
  return () => {
    stdin.off('data', hear).off('end', end);
    process.off('SIGCONT', take);
    giveBack();
  };
}
