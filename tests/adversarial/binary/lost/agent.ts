import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Action, type Answer, type Call, StandIn, StandInError } from '../../../support/agent.mjs';
import type { Door } from './door.js';

/** How often a refusal in a row is answered with its `fix`. */
const PATIENCE = 3;

/** The stand-in at a door of this process. It does what a `fix` says wherever it meets one, and what only a person can run. */
export class DoorAgent extends StandIn {
  private readonly door: Door;

  constructor(options: ConstructorParameters<typeof StandIn>[0] & { door: Door }) {
    super(options);
    this.door = options.door;
  }

  override run(command: string, { typed, injected = false }: { typed?: string[]; injected?: boolean } = {}): Call {
    const printed = this.door.call(this.wordsOf(command), typed === undefined ? null : [...typed]);
    const stdout = printed.stdout || printed.stderr;
    const answer = parsed(printed.stdout);
    const call: Call = { command, exit: printed.exit, stdout, typed: typed ?? null, injected, answer, read: [] };
    this.calls.push(call);
    const person = (answer?.error as { answer?: string } | undefined)?.answer;
    if (person === undefined || command === person) return call;
    this.run(person, { typed: ['yes'] });
    return this.run(command, { ...(typed === undefined ? {} : { typed }), injected });
  }

  /** Asks, and does what each refusal says, until there is an action. */
  ask(command: string): Action {
    for (let times = 0; ; times += 1) {
      const { exit, stdout, answer } = this.run(command);
      if (exit === 0) return (answer?.next ?? answer) as Action;
      const fix = answer?.error?.fix;
      if (!fix?.startsWith('dev-cli ') || times === PATIENCE) throw new StandInError(`${command}: ${exit} ${stdout}`);
      this.run(fix);
    }
  }

  /** A person's question, on the state as it is. */
  look(command: string): void {
    const { exit, stdout } = this.run(command);
    if (exit !== 0) throw new StandInError(`${command}: ${exit} ${stdout}`);
  }

  /** The words of a printed command; what it reads from standard input comes from a file. */
  private wordsOf(command: string): string[] {
    const [line = '', ...text] = command.split('\n');
    const here = /^(.*) - <<'(\w+)'$/.exec(line);
    const plain = here === null ? line : `${here[1]} '@${this.given(text.slice(0, -1).join('\n'))}'`;
    const words = plain.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
    return words.slice(1).map((word) => word.replace(/'([^']*)'|\\(.)/g, (_all, inside, one) => inside ?? one));
  }

  private given(text: string): string {
    const path = join(this.project.home, 'given');
    mkdirSync(this.project.home, { recursive: true });
    writeFileSync(path, text);
    return path;
  }
}

function parsed(stdout: string): Answer | null {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}
