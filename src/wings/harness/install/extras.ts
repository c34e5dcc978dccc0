import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { ensureIgnoreRules } from '../../../project/gitignore.js';
import { requireInside } from '../../../project/own-places.js';
import { findWingRoot } from '../../../project/wing-streams.js';
import type { InstallExtra, WithPorts } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { makeDirectories } from '../../../store/durable.js';
import { withIoErrors } from '../../../store/io.js';
import type { Harness } from '../adapter.js';
import type { FileDecision } from './decide.js';
import { listNames } from './disk.js';
import type { Manifest } from './manifest.js';
import type { Region, SharedFile } from './piece.js';

/** Handles the extras of wings that `install --with` sets up (harness.md, Install). */

/** The tool server, which agents call without a shell. */
export const TOOL_SERVER = { name: 'dev-cli', command: 'dev-cli', args: ['mcp'] };

/** Loads all extras. @throws DevCliError `USAGE` for an unknown name */
export async function loadExtras(
  { ports }: WithPorts<'extras'>,
  named: readonly string[] = [],
): Promise<InstallExtra[]> {
  const extras = await Promise.all(ports.extras.map((load) => load()));
  const unknown = named.find((name) => !extras.some((extra) => extra.name === name));
  if (unknown === undefined) return extras;
  throw new DevCliError('USAGE', `There is no extra called ${JSON.stringify(unknown)}.`, {
    fix: `Choose from: ${extras.map(({ name }) => name).join(', ')}.`,
  });
}

/** Selects the extras to set up: those already in the manifest, and those named now. */
export function chooseExtras(
  extras: readonly InstallExtra[],
  known: Manifest | null,
  named: readonly string[] = [],
): InstallExtra[] {
  return extras.filter(({ name }) => known?.with?.includes(name) || named.includes(name));
}

/** Lists the pieces that a harness gets for these extras. */
export function listExtraPieces({ extras: place, settings }: Harness, extras: readonly InstallExtra[]): SharedFile[] {
  if (place === undefined || extras.length === 0) return [];
  const { path, holder } = place.servers;
  const { name, ...server } = TOOL_SERVER;
  const what = 'tool server';
  const regions = extras.map((extra): Region => {
    const mark = `dev-cli:${extra.name}`;
    return { markers: { begin: `<!-- ${mark} v1 -->`, end: `<!-- /${mark} -->` }, body: extra.instructions };
  });
  return [
    path.endsWith('.toml')
      ? { kind: 'regions', path, regions: [renderTable([holder, name], server)], what }
      : { kind: 'settings', path, additions: [{ path: [holder, name], value: server, isMember: true }], what },
    ...(place.permit === undefined
      ? []
      : [{ kind: 'settings', path: settings.path, additions: [place.permit(name)], what } as const]),
    { kind: 'regions', path: place.instructions, regions, what: 'instructions' },
  ];
}

/** Renders a TOML table; strings and lists of strings are written as in JSON. */
function renderTable(table: readonly string[], members: Readonly<Record<string, unknown>>): Region {
  const lines = Object.entries(members).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const markers = { begin: '# dev-cli:server v1', end: '# /dev-cli:server' };
  return { markers, body: [`[${table.join('.')}]`, ...lines].join('\n'), table };
}

/** Returns the absolute directory that switches an extra on. @param cwd absolute @throws DevCliError `IO` */
export function locateExtra({ root }: Pick<Context, 'root'>, cwd: string, { name }: InstallExtra): string {
  return join(findWingRoot(root, cwd, name), '.dev', name);
}

/** Decides on creating or removing the directories of extras; a directory that is not empty stays. */
export function decideSwitches(
  context: Pick<Context, 'root'>,
  cwd: string,
  extras: readonly InstallExtra[],
  does: 'created' | 'removed',
): FileDecision[] {
  return extras.flatMap((extra): FileDecision[] => {
    const directory = locateExtra(context, cwd, extra);
    requireInside(join(directory, '../..'), `.dev/${extra.name}`);
    const row = { path: `${relative(context.root, directory)}/`, what: `switches ${extra.name} on` };
    const isThere = existsSync(directory);
    // A directory in the main work tree is not removed from a linked one, because it serves all work trees.
    if (isThere === (does === 'created') || (does === 'removed' && row.path.startsWith('../'))) return [];
    if (does === 'created') return [{ ...row, does, text: '' }];
    return listNames(directory).length === 0
      ? [{ ...row, does, text: null }]
      : [{ ...row, does: 'kept', why: 'remove it by hand to erase what is in it' }];
  });
}

/** Creates the directory of an extra, readable only by the user and ignored by git. @throws DevCliError `IO` */
export function createExtraDirectory(directory: string): void {
  const home = dirname(directory);
  withIoErrors(directory, null, () => {
    makeDirectories(home);
    ensureIgnoreRules(home, { root: dirname(home), made: [] });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  });
}
