import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageDecision, Prepared, RunPage } from '../wire.js';
import { Lines, Scroll } from './documents.js';
import { Failure, type Source, toFailure } from './source.js';
import { Instant } from './time.js';
import { Trouble } from './trouble.js';

interface Props {
  page: RunPage;
  source: Source;
  /** Has the run read anew. */
  again: () => void;
}

/** The gate that is open: all that `approve` shows, and the answer (view-page.md, In the browser). */
export function GateSection({ page: { decision, name, waits }, source, again }: Props) {
  if (decision === null) return null;
  const { actionId, digest, title, sections, looks } = decision;
  return (
    <section class="gate" aria-labelledby="gate">
      <h2 id="gate">
        <span aria-hidden="true">●</span> <bdi>{title}</bdi>
      </h2>
      {sections.map((section) => (
        <Lines key={section.heading} {...section} />
      ))}
      {looks.map(({ label, text }) => (
        <details key={label}>
          <summary>{label}</summary>
          <Scroll label={label}>{text}</Scroll>
        </details>
      ))}
      {source.deciding === null ? (
        <p>
          Decide at a terminal: <code>{waits.command ?? `dev-cli approve ${name}`}</code>
        </p>
      ) : (
        // Another question, or the same about something else, begins with no answer.
        <AnswerForm key={`${actionId} ${digest}`} {...{ decision, name, again }} deciding={source.deciding} />
      )}
    </section>
  );
}

interface FormProps extends Pick<Props, 'again'> {
  decision: PageDecision;
  name: string;
  deciding: NonNullable<Source['deciding']>;
}

/** What the answer is about is not what was shown. */
const CHANGED = 'INPUT_CHANGED';

/** First the answer, then the number that makes it count. */
function AnswerForm({ decision: { actionId, digest, answers }, name, deciding, again }: FormProps) {
  const [choice, setChoice] = useState('');
  const [note, setNote] = useState('');
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  const [number, setNumber] = useState('');
  const [failure, setFailure] = useState<Failure | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (prepared === null) return;
    field.current?.focus();
    const end = (): void => {
      setPrepared(null);
      setFailure(new Failure('EXPIRED', 'The number is no longer taken.', 'Send the answer again.'));
    };
    const timer = setTimeout(end, prepared.until - Date.now());
    return () => clearTimeout(timer);
  }, [prepared]);
  const send = async (): Promise<void> => {
    setFailure(null);
    setNumber('');
    try {
      if (prepared !== null) return await deciding.confirm(name, prepared.id, number);
      const given = { actionId, choice, digest, ...(note.trim() === '' ? {} : { note: note.trim() }) };
      setPrepared(await deciding.prepare(name, given));
    } catch (error) {
      const refused = toFailure(error);
      setFailure(refused);
      if (refused.code !== CHANGED) return;
      setPrepared(null);
      again();
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  const isReasonWanted = answers.find(({ id }) => id === choice)?.reason === 'required';
  return (
    <form onSubmit={submit}>
      <fieldset disabled={prepared !== null}>
        <legend>Your answer</legend>
        {answers.map(({ id, label, reason }) => (
          <label key={id}>
            <input type="radio" name="choice" required checked={choice === id} onChange={() => setChoice(id)} />{' '}
            <strong>{id}</strong> {label !== id && <bdi>{label}</bdi>}{' '}
            {reason && <span class="quiet">wants a reason</span>}
          </label>
        ))}
        <label>
          Reason{isReasonWanted ? '' : ' (if you like)'}
          <textarea
            rows={2}
            required={isReasonWanted}
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </label>
      </fieldset>
      {prepared !== null && (
        <label>
          The number stands in the terminal where <code>dev-cli view</code> runs, with what it decides; until{' '}
          <Instant at={prepared.until} seconds />
          <input
            ref={field}
            class="number"
            {...{ inputMode: 'numeric', autocomplete: 'off', pattern: '[0-9]{6}', maxLength: 6 }}
            required
            value={number}
            onInput={(event) => setNumber(event.currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" class="main">
        {prepared === null ? 'Send' : `Decide: ${choice}`}
      </button>{' '}
      {prepared !== null && (
        <button type="button" onClick={() => setPrepared(null)}>
          Back
        </button>
      )}
      {failure && <Trouble trouble={failure} />}
    </form>
  );
}
