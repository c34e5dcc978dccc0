import { dirname, join } from 'node:path';

/** Returns the directory of this package, both from the bundle in dist/ and from the sources in src/app/. */
export function packageDirectory(): string {
  const here = import.meta.dirname;
  return here.endsWith(join('src', 'app')) ? join(here, '..', '..') : dirname(here);
}
