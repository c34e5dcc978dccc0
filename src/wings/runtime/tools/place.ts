import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { foldName } from '../../../base/reserved.js';
import { stripInvisible } from '../../../base/visible.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { HOME } from '../../../project/layout.js';
import { readStats, resolvePath } from '../../../store/inside.js';
import { ToolRefusal, type ToolSite } from './tool.js';

/** Where the path of an input leads. */
export interface Place {
  /** Absolute, without links; nothing need be there. */
  path: string;
  /** Relative to the work tree, with `/`, or absolute where it lies in a `.dev` elsewhere: what rules for files have to go by. */
  name: string;
  /** Whether it lies in `.dev`. */
  isHome: boolean;
  /** The same path with its links. */
  lexical: string;
}

type Site = Pick<ToolSite, 'workTree' | 'root' | 'promised' | 'own'>;

/** Files that hold keys, and what lies beside them under the same name. */
const SECRET =
  /(?:^|\/)(?:\.env[^/]*|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[^/]*\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)|\.(?:netrc|pgpass|pypirc|git-credentials|htpasswd)|\.(?:ssh|gnupg|aws)\/.*)$/;

/** Whether a file is one that only a rule may open: by its name alone. @param path with `/` between its parts */
export function isSecretFile(path: string): boolean {
  return SECRET.test(path.split('/').map(foldName).join('/'));
}

/**
 * Finds where the path of an input leads: into the work tree or into `.dev`, and never into git's own (runtime.md, Tools).
 * @throws ToolRefusal for any other path; system errors
 */
export function locate(input: string, { workTree, root: givenRoot }: Site): Place {
  const shown = toBoundedLine(input, 300);
  if (input.trim() === '') throw new ToolRefusal('the path is empty');
  // The surrogates of a torn character, too: they would name another file.
  if (/\p{Cc}/u.test(input) || stripInvisible(input) !== input)
    throw new ToolRefusal(`${shown}: a name may have no control characters and nothing invisible`);
  const [top, root] = [realpathSync.native(workTree), realpathSync.native(givenRoot)];
  const lexical = resolve(workTree, input);
  const home = follow(root, join(root, HOME));
  const inTree = follow(top, lexical);
  const path = inTree ?? (home && follow(home, lexical));
  if (path === null) throw new ToolRefusal(`${shown} lies outside of the work tree, ${workTree}`);
  // As it is written, too: where a link called `.git` leads to is git's own as well.
  const ways = inTree === null ? [relative(home ?? root, path)] : [relative(top, path), relative(workTree, lexical)];
  const parts = ways.map((way) => way.split(sep).map(foldName));
  if (parts.some((names) => names.includes('.git'))) throw new ToolRefusal(`${shown}: .git is git’s own`);
  const isHome = inTree === null || parts.some(([first]) => first === HOME) || (home !== null && isWithin(home, path));
  const name = inTree === null ? path : relative(top, path).split(sep).join('/') || '.';
  return { path, name, isHome, lexical };
}

/** The same for what writes a file there: no link, nothing else, and in `.dev` only what was promised. @throws as `locate` */
export function locateToWrite(input: string, site: Site): Place {
  const place = locate(input, site);
  const root = realpathSync.native(site.root);
  const isPromised = site.promised.some((one) => isWithin(follow(root, resolve(one)) ?? one, place.path));
  if (place.isHome && !isPromised)
    throw new ToolRefusal(`${place.name}: below ${HOME} only what was promised is written`);
  const own = follow(realpathSync.native(site.workTree), site.own);
  if (own !== null && isWithin(own, place.path)) throw new ToolRefusal(`${place.name} is a file of dev-cli itself`);
  const found = readStats(place.lexical);
  if (found?.isSymbolicLink()) throw new ToolRefusal(`${toBoundedLine(input, 300)} is a symbolic link`);
  if (found?.isFile() === false)
    throw new ToolRefusal(`${place.name} is ${found.isDirectory() ? 'a directory' : 'no file'}`);
  return place;
}

/** Where a path really leads if that is inside; else null. */
function follow(base: string, path: string): string | null {
  const led = resolvePath(base, path);
  return led.kind === 'inside' ? led.path : null;
}

/** Whether a path is another or below it; both absolute. */
export function isWithin(above: string, path: string): boolean {
  const way = relative(above, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
