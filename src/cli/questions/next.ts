import { answerNext } from '../../app/questions.js';
import { answerQuestion } from '../hot.js';

answerQuestion('next', answerNext);
