/** Formats a duration for a person: `20 s`, `3m10s`, `2h05m`, `4d`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${padTwo(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h${padTwo(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d`;
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}
