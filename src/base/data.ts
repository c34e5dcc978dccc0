/** Data as a command got it (protocol.md §1): where it came from decides how it is read. */
export type DataInput = {
  source: 'inline' | 'stdin' | 'file';
  /** The file's name; `.md` holds sections, everything else JSON. */
  name?: string;
  text: string;
};
