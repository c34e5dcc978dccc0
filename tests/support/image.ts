import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Every file below `.dev` with its content, by its path relative to that directory. */
export type Image = ReadonlyMap<string, Buffer>;

/** Reads a root's `.dev`; if there is none, the image is empty. */
export function readImage(root: string): Image {
  return readTree(join(root, '.dev'));
}

/** Reads every file below a directory with its content; if there is no directory, the image is empty. */
export function readTree(directory: string): Image {
  const image = new Map<string, Buffer>();
  walk(directory, '', (path, absolute) => image.set(path, readFileSync(absolute)));
  return image;
}

/** Lists every directory below `.dev`, including empty ones, by its path relative to that directory. */
export function readDirectories(root: string): string[] {
  const home = join(root, '.dev');
  const paths = readdirSync(home, { recursive: true, withFileTypes: true });
  return paths
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)));
}

/**
 * Restores `.dev` to an image. A file with the right content is not touched, so it keeps its inode and times.
 * Directories that neither the image nor `directories` names are removed.
 */
export function restoreImage(root: string, image: Image, directories: readonly string[] = []): void {
  const home = join(root, '.dev');
  restoreTree(home, image, directories);
  for (const directory of directories) mkdirSync(join(home, directory), { recursive: true });
}

/** Restores any directory in the same way; those of `directories` are kept but, if missing, not created. */
export function restoreTree(home: string, image: Image, directories: readonly string[] = []): void {
  const present = readTree(home);
  // A runner may have removed its own files since they were listed.
  for (const path of present.keys()) if (!image.has(path)) rmSync(join(home, path), { force: true });
  removeEmptyDirectories(home, '', new Set([...directories, ...[...image.keys()].flatMap(ancestors)]));
  for (const [path, content] of image) {
    if (present.get(path)?.equals(content)) continue;
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
}

function walk(directory: string, prefix: string, found: (path: string, absolute: string) => void): void {
  for (const entry of entriesOf(directory)) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) walk(join(directory, entry.name), `${path}/`, found);
    else found(path, join(directory, entry.name));
  }
}

function removeEmptyDirectories(home: string, path: string, needed: ReadonlySet<string>): void {
  for (const entry of entriesOf(join(home, path))) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (!entry.isDirectory()) continue;
    if (needed.has(inner)) removeEmptyDirectories(home, inner, needed);
    else rmSync(join(home, inner), { recursive: true });
  }
}

function ancestors(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
