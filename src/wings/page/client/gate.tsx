import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageDecision, PreparedDecision, RunPage } from '../wire.js';
import { LineList, Scroll } from './documents.js';
import { LoadError, type Source, toFailure } from './source.js';
import { Instant } from './time.js';
import { Trouble } from './trouble.js';

interface Props {
  page: RunPage;
  source: Source;
  /** Reloads the run. */
  again: () => void;
}

/** The open gate: everything that `approve` shows, and the form for the answer (view-page.md, In the browser). */
export function GateSection({ page: { decision, name, waits }, source, again }: Props) {
  if (decision === null) return null;
  const { actionId, digest, title, sections, answers, looks } = decision;
  return (
    <section class="gate" aria-labelledby="gate">
      <h2 id="gate">
        <span aria-hidden="true">●</span> <bdi>{title}</bdi>
      </h2>
      {sections.map((section) => (
        <LineList key={section.heading} {...section} />
      ))}
      {looks.map(({ label, text }) => (
        <details key={label}>
          <summary>{label}</summary>
          <Scroll label={label}>{text}</Scroll>
        </details>
      ))}
      {answers.length === 0 ? (
        <p>
          Decide at a terminal: <code>{waits.command ?? `dev-cli approve ${name}`}</code>
        </p>
      ) : (
        // The key resets the form when the question or the digest of its subject changes.
        <AnswerForm key={`${actionId} ${digest}`} {...{ decision, name, source, again }} />
      )}
    </section>
  );
}

interface FormProps extends Omit<Props, 'page'> {
  decision: PageDecision;
  name: string;
}

/** The error code for a wrong number, after which the person may try again. */
const WRONG = 'DATA_UNEXPECTED';

/** Asks for the answer first, then for the number that confirms it. */
function AnswerForm({ decision: { actionId, digest, answers }, name, source, again }: FormProps) {
  const [choice, setChoice] = useState('');
  const [note, setNote] = useState('');
  const [prepared, setPrepared] = useState<PreparedDecision | null>(null);
  const [number, setNumber] = useState('');
  const [failure, setFailure] = useState<LoadError | null>(null);
  const [isSent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (prepared === null) return;
    field.current?.focus();
    const end = (): void => {
      setPrepared(null);
      setFailure(new LoadError('EXPIRED', 'The number has expired.', 'Send the answer again.'));
    };
    const timer = setTimeout(end, prepared.until - Date.now());
    return () => clearTimeout(timer);
  }, [prepared]);
  const send = async (): Promise<void> => {
    setFailure(null);
    setNumber('');
    setSent(true);
    try {
      if (prepared !== null) return await source.confirm(name, prepared.id, number);
      const given = { actionId, choice, digest, ...(note.trim() === '' ? {} : { note: note.trim() }) };
      setPrepared(await source.prepare(name, given));
    } catch (error) {
      const refused = toFailure(error);
      setFailure(refused);
      if (refused.code === WRONG) return;
      setPrepared(null);
      again();
    } finally {
      setSent(false);
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
            {reason && <span class="quiet">requires a reason</span>}
          </label>
        ))}
        <label>
          Reason{isReasonWanted ? '' : ' (optional)'}
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
          The terminal where <code>dev-cli view</code> runs shows the number and what it decides, until{' '}
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
      <button type="submit" class="main" disabled={isSent}>
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
