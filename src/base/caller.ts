/** Where a change of state came from; written into every journal entry (storage.md, A commit). */
export interface Caller {
  /**
   * `human`: a person, as proven by `approve` or `trust` (protocol.md §3). `cli`: somebody at a terminal of their own,
   * unproven. `agent`: everything else that runs commands.
   */
  kind: 'cli' | 'agent' | 'human' | 'hook' | 'tool';
  /** How the call came in: `cli`, `hook`, `mcp`; `page` for a decision made in the browser (view-page.md, Deciding). */
  via: string;
  harness?: string;
  session?: string;
  agent?: string;
  /** A person can be asked: standard input and output are a terminal, and no harness mark is set. */
  terminal?: boolean;
}
