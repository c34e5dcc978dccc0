import { answerOffer } from '../../app/questions.js';
import { complete } from '../complete.js';
import { endWith } from '../hot-end.js';

const printed = complete(process.argv.slice(4), answerOffer, { cwd: process.cwd(), env: process.env });
// An error's text in the middle of a line that is being typed helps nobody.
endWith(printed.catch(() => '').then((stdout) => ({ stdout, stderr: '', exit: 0 })));
