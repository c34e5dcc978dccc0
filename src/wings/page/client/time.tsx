import { useEffect, useState } from 'preact/hooks';

const SHOWN: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' };

/** An instant, given in milliseconds, in the person's local time; its title shows UTC. */
export function Instant({ at, seconds = false }: { at: number; seconds?: boolean }) {
  if (!Number.isFinite(at)) return null;
  const date = new Date(at);
  const utc = date.toISOString();
  return (
    <time dateTime={utc} title={`${utc.slice(0, 19).replace('T', ' ')} UTC`}>
      {date.toLocaleString(undefined, seconds ? { ...SHOWN, second: '2-digit' } : SHOWN)}
    </time>
  );
}

/** Returns the current time in milliseconds, updated every second while `isGoing` holds. */
export function useNow(isGoing: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isGoing) return;
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isGoing]);
  return now;
}
