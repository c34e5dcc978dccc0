// What an acknowledgement cannot do without, and nothing of dev-cli: the packages it stands on, each used once, and the writes of
// one commit. Bundled as dev-cli is. Arguments as for writes.cjs.
import { createHash, randomBytes } from 'node:crypto';
import { compare } from 'fast-json-patch';
import { createMachine, initialTransition, transition } from 'xstate';
import './writes.cjs';

const machine = createMachine({ initial: 'asking', states: { asking: { on: { DONE: 'asked' } }, asked: {} } });
const [asking] = initialTransition(machine);
const [asked] = transition(machine, asking, { type: 'DONE' });
const patch = compare({ at: asking.value }, { at: asked.value, by: randomBytes(16).toString('hex') });
const digest = createHash('sha256').update(JSON.stringify(patch)).digest('hex');
if (asked.value !== 'asked' || digest.length !== 64) throw new Error('a library does not do what it is for');
