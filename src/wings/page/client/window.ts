import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** How many rows before and after the visible ones are rendered as well. */
const AROUND = 6;

/** Returns whether a media query matches, and renders again when that changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = () => setMatches(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [query]);
  return matches;
}

/** Returns the range of rows that the window shows at the current scroll position. */
export function useWindow(
  list: { current: HTMLElement | null },
  height: number,
  gap: number,
): readonly [number, number] {
  const [seen, setSeen] = useState<readonly [number, number]>([0, 60]);
  useLayoutEffect(() => {
    const look = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor((-top - gap) / height) - AROUND);
      const last = Math.max(0, Math.ceil((innerHeight - top) / height)) + AROUND;
      setSeen((now) => (now[0] === first && now[1] === last ? now : [first, last]));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [height, gap]);
  return seen;
}

/** Measures the height of the details panel below the selected row, in pixels; 0 if the panel is not below it. */
export function useGap(aside: { current: HTMLElement | null }, isUnder: boolean): number {
  const [gap, setGap] = useState(0);
  useLayoutEffect(() => {
    if (!isUnder || aside.current === null) return setGap(0);
    const watcher = new ResizeObserver(([entry]) =>
      setGap(entry?.target instanceof HTMLElement ? entry.target.offsetHeight : 0),
    );
    watcher.observe(aside.current);
    return () => watcher.disconnect();
  });
  return isUnder ? gap : 0;
}
