/** Where a change of state came from; written into every journal entry (storage.md, A commit). */
export interface Caller {
  /**
   * `human`: a person's word, which `approve` and `trust` alone write (protocol.md §3). `cli`: somebody at a terminal of
   * their own, who may be anybody. `agent`: everything else that runs commands.
   */
  kind: 'cli' | 'agent' | 'human' | 'hook' | 'tool';
  /** The door it came through: `cli`, `hook`, later `mcp`. */
  via: string;
  harness?: string;
  session?: string;
  agent?: string;
  /** A person can be asked here: standard input and output are a terminal, and no harness's mark stands. */
  terminal?: boolean;
}
