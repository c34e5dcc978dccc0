import { type LoadError, NO_SESSION } from './source.js';

/** Why something cannot be shown, and what helps. */
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
