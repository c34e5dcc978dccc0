import { type Action, type Call, StandIn, StandInError } from '../../../support/agent.mjs';

/** How many refusals in a row are answered by following their `fix`. */
const PATIENCE = 3;

/** A stand-in that follows every `fix` it meets, and runs what only a person can run. */
export class PatientAgent extends StandIn {
  override run(command: string, how: { typed?: string[]; injected?: boolean } = {}): Call {
    const call = super.run(command, how);
    const person = (call.answer?.error as { answer?: string } | undefined)?.answer;
    if (person === undefined || command === person) return call;
    this.run(person, { typed: ['yes'] });
    return this.run(command, how);
  }

  /** Runs a command, and follows the fix of each refusal, until it gets an action. */
  ask(command: string): Action {
    for (let times = 0; ; times += 1) {
      const { exit, stdout, answer } = this.run(command);
      if (exit === 0) return (answer?.next ?? answer) as Action;
      const fix = answer?.error?.fix;
      if (!fix?.startsWith('dev-cli ') || times === PATIENCE) throw new StandInError(`${command}: ${exit} ${stdout}`);
      this.run(fix);
    }
  }

  /** Runs a command that shows a person the current state. */
  look(command: string): void {
    const { exit, stdout } = this.run(command);
    if (exit !== 0) throw new StandInError(`${command}: ${exit} ${stdout}`);
  }
}
