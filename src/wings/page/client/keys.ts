import { useEffect, useRef } from 'preact/hooks';

/** What keys do, by their names; `Escape` also acts where one types. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

const TYPING = 'input, textarea, select';
/** These take Enter themselves. */
const ACTING = 'button, a, summary';

/** Has keys act on the whole page. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : document.body;
      const isTaken =
        (event.key !== 'Escape' && target.matches(TYPING)) || (event.key === 'Enter' && target.matches(ACTING));
      const act = latest.current[event.key];
      if (act === undefined || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
