import { SIGNS, type SignName } from '../../../views/signs.js';

/** What something is at: a sign, with its word for who does not see it. */
export function Sign({ name }: { name: SignName }) {
  const { sign, word, as } = SIGNS[name];
  return (
    <span class={as} role="img" aria-label={word} title={word}>
      {sign}
    </span>
  );
}
