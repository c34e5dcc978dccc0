import { answerOffer } from '../../app/questions.js';
import { completeWords } from '../complete.js';
import { printAndExit } from '../hot-end.js';

const printed = completeWords(process.argv.slice(4), answerOffer, { cwd: process.cwd(), env: process.env });
// Errors are dropped, since a message in the middle of an unfinished command line would only disturb.
printAndExit(printed.catch(() => '').then((stdout) => ({ stdout, stderr: '', exit: 0 })));
