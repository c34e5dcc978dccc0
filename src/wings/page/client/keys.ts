import { useEffect, useRef } from 'preact/hooks';

/** What each key does, by the name of the key. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

/** Selectors of elements, each with the keys that these elements handle themselves. */
const TAKEN: readonly (readonly [what: string, keys: RegExp])[] = [
  ['input, textarea', /./],
  ['button, a, summary', /^Enter$/],
  ['.scroll, aside', /^(Arrow|Home|End)/],
];

/** Runs the action of a key pressed anywhere on the page, unless an element of `TAKEN` handles that key itself. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : document.body;
      const isTaken = TAKEN.some(([what, keys]) => target.closest(what) !== null && keys.test(event.key));
      const act = latest.current[event.key];
      if (act === undefined || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
