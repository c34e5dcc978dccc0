import { SIGNS, type SignName } from '../../../views/signs.js';

/** A state as a sign, with its word for people who cannot see it. */
export function Sign({ name }: { name: SignName }) {
  const { sign, word, as } = SIGNS[name];
  return (
    <span class={as} role="img" aria-label={word} title={word}>
      {sign}
    </span>
  );
}
