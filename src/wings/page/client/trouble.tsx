import { type LoadError, NO_SESSION } from './source.js';

/** The reason why something cannot be shown, and a way to fix that. */
export function Trouble({ trouble }: { trouble: LoadError }) {
  return (
    <p class="trouble" role="alert">
      <strong>
        <bdi>{trouble.message}</bdi>
      </strong>{' '}
      {trouble.code === NO_SESSION ? (
        <>
          Press <kbd>o</kbd> in the terminal where <code>dev-cli view</code> runs.
        </>
      ) : (
        <bdi>{trouble.fix ?? trouble.code}</bdi>
      )}
    </p>
  );
}
