import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { foldName } from '../../../base/reserved.js';
import { stripInvisible } from '../../../base/visible.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { DEV_DIRECTORY } from '../../../project/layout.js';
import { readStats, resolvePath } from '../../../store/inside.js';
import { ToolRefusal, type ToolScope } from './tool.js';

/** The place that the path of an input leads to. */
export interface ToolPath {
  /** Absolute, with links resolved; it need not exist. */
  path: string;
  /** Relative to the work tree, with `/`, or absolute if it lies in a `.dev` elsewhere; file rules match this name. */
  name: string;
  /** Whether it lies in `.dev`. */
  isHome: boolean;
  /** The same path with links unresolved. */
  lexical: string;
}

type Site = Pick<ToolScope, 'workTree' | 'root' | 'promised' | 'own'>;

/** Files that hold keys, including backups with the same name and a suffix. */
const SECRET =
  /(?:^|\/)(?:\.env[^/]*|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[^/]*\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)|\.(?:netrc|pgpass|pypirc|git-credentials|htpasswd)|\.(?:ssh|gnupg|aws)\/.*)$/;

/**
 * Returns whether a file's name suggests that it holds secrets; opening it then needs a rule that names it.
 * @param path a path with `/` between its parts
 */
export function isSecretFile(path: string): boolean {
  return SECRET.test(path.split('/').map(foldName).join('/'));
}

/**
 * Resolves the path of an input: into the work tree or `.dev`, and never into `.git` (runtime.md, Tools).
 * @throws ToolRefusal for any other path; system errors
 */
export function resolveToolPath(input: string, { workTree, root: givenRoot }: Site): ToolPath {
  const shown = toBoundedLine(input, 300);
  if (input.trim() === '') throw new ToolRefusal('the path is empty');
  // Lone surrogates are rejected, too: Node would replace them and thereby open another file.
  if (/\p{Cc}/u.test(input) || stripInvisible(input) !== input)
    throw new ToolRefusal(`${shown}: a name may not have control or invisible characters`);
  const [top, root] = [realpathSync.native(workTree), realpathSync.native(givenRoot)];
  const lexical = resolve(workTree, input);
  const home = follow(root, join(root, DEV_DIRECTORY));
  const inTree = follow(top, lexical);
  const path = inTree ?? (home && follow(home, lexical));
  if (path === null) throw new ToolRefusal(`${shown} is outside the work tree, ${workTree}`);
  // The path as written is checked, too: a link called `.git` may lead to a directory of another name.
  const ways = inTree === null ? [relative(home ?? root, path)] : [relative(top, path), relative(workTree, lexical)];
  const parts = ways.map((way) => way.split(sep).map(foldName));
  if (parts.some((names) => names.includes('.git'))) throw new ToolRefusal(`${shown}: .git belongs to git`);
  const isHome =
    inTree === null || parts.some(([first]) => first === DEV_DIRECTORY) || (home !== null && isWithin(home, path));
  const name = inTree === null ? path : relative(top, path).split(sep).join('/') || '.';
  return { path, name, isHome, lexical };
}

/**
 * Resolves a path for writing. It must lead to a regular file or to nothing, not to a symbolic link, and in `.dev` only
 * to a promised file.
 * @throws as `resolveToolPath`
 */
export function resolveWritePath(input: string, site: Site): ToolPath {
  const place = resolveToolPath(input, site);
  const root = realpathSync.native(site.root);
  const isPromised = site.promised.some((one) => isWithin(follow(root, resolve(one)) ?? one, place.path));
  if (place.isHome && !isPromised)
    throw new ToolRefusal(`${place.name}: below ${DEV_DIRECTORY} only promised files may be written`);
  const own = follow(realpathSync.native(site.workTree), site.own);
  if (own !== null && isWithin(own, place.path)) throw new ToolRefusal(`${place.name} is a file of dev-cli itself`);
  const found = readStats(place.lexical);
  if (found?.isSymbolicLink()) throw new ToolRefusal(`${toBoundedLine(input, 300)} is a symbolic link`);
  if (found?.isFile() === false)
    throw new ToolRefusal(`${place.name} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}`);
  return place;
}

/** Returns the real path to which a path leads if it is inside `base`; otherwise null. */
function follow(base: string, path: string): string | null {
  const led = resolvePath(base, path);
  return led.kind === 'inside' ? led.path : null;
}

/** Returns whether a path equals another or lies below it; both absolute. */
export function isWithin(above: string, path: string): boolean {
  const way = relative(above, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
