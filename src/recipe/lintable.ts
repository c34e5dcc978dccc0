import type { Compiled } from './compile.js';

/** A compiled recipe that can be judged. */
export type Lintable = NonNullable<Compiled['draft']> & Pick<Compiled, 'report' | 'file'>;
