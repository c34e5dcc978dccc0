import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageDecision, Prepared, RunPage } from '../wire.js';
import { Scroll } from './documents.js';
import { Failure, type Source } from './source.js';
import { Instant } from './time.js';
import { Trouble } from './trouble.js';

interface Props {
  page: RunPage;
  source: Source;
  /** Has the run read anew. */
  again: () => void;
}

/** The gate that is open: all that `approve` shows, and the answer (view.md, Deciding). */
export function GateSection({ page, source, again }: Props) {
  const { decision, name, waits } = page;
  if (decision === null) return null;
  const { actionId, digest, title, sections, looks } = decision;
  return (
    <section class="gate" aria-labelledby="gate">
      <h2 id="gate">
        <span aria-hidden="true">●</span> <bdi>{title}</bdi>
      </h2>
      {sections.map(({ heading, lines }) => (
        <div key={heading}>
          <h3>
            <bdi>{heading}</bdi>
          </h3>
          <ul>
            {lines.map((line, index) => (
              <li>
                <bdi>{line.replace(/^- /, '')}</bdi>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {looks.map(({ label, text }) => (
        <details key={label}>
          <summary>
            <bdi>{label}</bdi>
          </summary>
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

/** First the answer, then the number that makes it count. */
function AnswerForm({ decision, name, deciding, again }: FormProps) {
  const { actionId, digest, answers } = decision;
  const [choice, setChoice] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSending, setSending] = useState(false);
  const answer = answers.find(({ id }) => id === choice);
  const send = async (sending: () => Promise<void>): Promise<void> => {
    setSending(true);
    setFailure(null);
    try {
      await sending();
    } catch (error) {
      const refused = error instanceof Failure ? error : new Failure('UNEXPECTED', String(error));
      setFailure(refused);
      if (refused.code === CHANGED) {
        setPrepared(null);
        again();
      }
    }
    setSending(false);
  };
  useEffect(() => {
    if (prepared === null) return;
    const end = (): void => {
      setPrepared(null);
      setFailure(new Failure('EXPIRED', 'The number is no longer taken.', 'Send the answer again.'));
    };
    const timer = setTimeout(end, prepared.until - Date.now());
    return () => clearTimeout(timer);
  }, [prepared]);
  const prepare = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (answer === undefined) return;
    const given = { actionId, choice: answer.id, digest, ...(note.trim() === '' ? {} : { note: note.trim() }) };
    await send(async () => setPrepared(await deciding.prepare(name, given)));
  };
  return (
    <>
      <form onSubmit={prepare} inert={prepared !== null}>
        <fieldset>
          <legend>Your answer</legend>
          {answers.map(({ id, label, reason }) => (
            <label key={id}>
              <input type="radio" name="choice" required checked={choice === id} onChange={() => setChoice(id)} />{' '}
              <strong>{id}</strong> {label !== id && <bdi>{label}</bdi>}{' '}
              {reason && <span class="quiet">wants a reason</span>}
            </label>
          ))}
        </fieldset>
        <label>
          Reason{answer?.reason ? '' : ' (if you like)'}
          <textarea
            rows={2}
            required={answer?.reason === 'required'}
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </label>
        {prepared === null && (
          <button type="submit" class="main" disabled={isSending}>
            Send
          </button>
        )}
      </form>
      {prepared !== null && answer !== undefined && (
        <NumberForm
          prepared={prepared}
          choice={answer.id}
          isSending={isSending}
          back={() => setPrepared(null)}
          decide={(number) => send(() => deciding.confirm(name, prepared.id, number))}
        />
      )}
      {failure && <Trouble trouble={failure} />}
    </>
  );
}

/** What the answer is about is not what was shown. */
const CHANGED = 'INPUT_CHANGED';

interface NumberProps {
  prepared: Prepared;
  choice: string;
  isSending: boolean;
  back: () => void;
  decide: (number: string) => Promise<void>;
}

function NumberForm({ prepared, choice, isSending, back, decide }: NumberProps) {
  const [number, setNumber] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    await decide(number);
    setNumber('');
  };
  return (
    <form onSubmit={submit}>
      <label>
        The number stands in the terminal where <code>dev-cli view</code> runs, with what it decides; until{' '}
        <Instant at={prepared.until} seconds />
        <input
          ref={field}
          class="number"
          inputMode="numeric"
          autocomplete="off"
          pattern="[0-9]{6}"
          maxLength={6}
          required
          value={number}
          onInput={(event) => setNumber(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" disabled={isSending}>
        Decide: {choice}
      </button>{' '}
      <button type="button" onClick={back}>
        Back
      </button>
    </form>
  );
}
