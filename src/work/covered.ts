// A plain `require`, as in recipe/conditions.ts: most calls look at no patterns.
const picomatch = (): typeof import('picomatch') => require('picomatch');

/** Whether a path is one of those that globs stand for, lies below one that names a directory, or is named by itself. */
export function coveredBy(globs: readonly string[], single: readonly string[] = []): (path: string) => boolean {
  // A name may hold a line break.
  const fits = picomatch()([...globs], { dot: true, flags: 's' });
  const whole = new Set([...single, ...globs.map((glob) => glob.replace(/\/+$/, ''))]);
  return (path) => fits(path) || whole.has(path) || parents(path).some((parent) => whole.has(parent));
}

/** The directories on the way to a path. */
export function parents(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a path is one of these, or lies below one of them; `.` stands for everything. */
export function namedBy(paths: readonly string[]): (path: string) => boolean {
  const named = new Set(paths);
  return (path) => named.has('.') || named.has(path) || parents(path).some((parent) => named.has(parent));
}
