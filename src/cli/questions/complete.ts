import { answerOffer } from '../../app/questions.js';
import { completeWords } from '../complete.js';
import { printAndExit } from '../hot-end.js';

const printed = completeWords(process.argv.slice(4), answerOffer, { cwd: process.cwd(), env: process.env });
// An error message in the middle of an unfinished command line helps nobody.
printAndExit(printed.catch(() => '').then((stdout) => ({ stdout, stderr: '', exit: 0 })));
