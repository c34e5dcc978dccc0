/** The source of a change to the state, as every journal entry records it (storage.md, A commit). */
export interface Caller {
  /**
   * `human`: a person, as proven by `approve` or `trust` (protocol.md §3). `cli`: somebody at a terminal of their own,
   * unproven. `agent`: everything else that runs commands.
   */
  kind: 'cli' | 'agent' | 'human' | 'hook' | 'tool';
  /** The call's entry point: `cli`, `hook`, `mcp`, or `page` for a decision in the browser (view-page.md, Deciding). */
  via: string;
  harness?: string;
  session?: string;
  agent?: string;
  /** Whether a person can be asked, because standard input and output are a terminal and no harness mark is set. */
  terminal?: boolean;
}
