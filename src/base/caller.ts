/** Where a change of state came from; written into every journal entry (storage.md, A commit). */
export interface Caller {
  kind: 'cli' | 'agent' | 'human' | 'hook' | 'tool';
  /** The door it came through: `cli`, `hook`, later `mcp`. */
  via: string;
  harness?: string;
  session?: string;
  agent?: string;
  /** A person sits at this call: standard input and output are a terminal (harness.md, Human gates). */
  terminal?: boolean;
}
