/**
 * The run and the row that the address names: `#/NAME/ROW`, with `?run=ID` for an earlier run; a row's id may contain
 * slashes.
 */
export interface Route {
  name: string;
  row: string | null;
  run: string | undefined;
}

/** Parses the address; null for the page that lists the runs. */
export function readRoute(): Route | null {
  const [, name = '', row, run] = /^#\/([^/?]*)(?:\/([^?]*))?(?:\?run=(.*))?$/.exec(location.hash) ?? [];
  const decode = (part: string) => decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  if (name === '') return null;
  return { name: decode(name), row: row ? decode(row) : null, run: run === undefined ? run : decode(run) };
}

/** Renders the address of a run, or of one of its rows. */
export function writeRoute({ name = '', row, run }: Partial<Route>): string {
  const path = [name, ...(row ? row.split('/') : [])].map(encodeURIComponent).join('/');
  return `#/${path}${run === undefined ? '' : `?run=${encodeURIComponent(run)}`}`;
}
