import { answerOffer } from '../../app/questions.js';
import { complete } from '../complete.js';
import { endWith } from '../hot-end.js';

const printed = complete(process.argv.slice(4), answerOffer, { cwd: process.cwd(), env: process.env });
// An error message in the middle of an unfinished command line helps nobody.
endWith(printed.catch(() => '').then((stdout) => ({ stdout, stderr: '', exit: 0 })));
