import fs from 'node:fs';

// Kills this process at its DEV_CLI_KILL_AT-th call that changes what others see on the disk, before the call. With
// DEV_CLI_KILL_HALF, only writes are counted, and the process is killed after half of the write.

const WRITES = ['writeFileSync', 'writeSync'];
const OTHERS = ['ftruncateSync', 'linkSync', 'mkdirSync', 'openSync', 'renameSync', 'rmdirSync', 'unlinkSync'];

type Call = (...args: unknown[]) => unknown;

/** Whether a call only writes to standard output or opens for reading. */
function changesNothing(name: string, [first, flags]: unknown[]): boolean {
  if (name !== 'openSync') return first === 1;
  return typeof flags === 'number' ? (flags & fs.constants.O_CREAT) === 0 : flags !== 'w';
}

function watch(limit: number, half: boolean): void {
  const calls = fs as unknown as Record<string, Call>;
  const write = fs.writeSync;
  let count = 0;
  for (const name of half ? WRITES : [...WRITES, ...OTHERS]) {
    const original = calls[name] as Call;
    calls[name] = (...args) => {
      if (changesNothing(name, args)) return original(...args);
      count += 1;
      if (count === limit) {
        if (half) {
          const bytes = Buffer.from(args[1] as Buffer);
          const target = typeof args[0] === 'number' ? args[0] : fs.openSync(args[0] as string, 'w');
          write(target, bytes, 0, Math.floor(bytes.length / 2));
        }
        process.kill(process.pid, 'SIGKILL');
      }
      return original(...args);
    };
  }
}

const { DEV_CLI_KILL_AT: at, DEV_CLI_KILL_HALF: half } = process.env;
if (at !== undefined) watch(Number(at), half === '1');
