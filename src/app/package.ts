import { dirname, join } from 'node:path';

/** The directory of this package, from the bundle in dist/ as from the sources in src/app/. */
export function packageDirectory(): string {
  const here = import.meta.dirname;
  return here.endsWith(join('src', 'app')) ? join(here, '..', '..') : dirname(here);
}
