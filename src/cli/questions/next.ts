import { nextQuestion } from '../../app/questions.js';
import { answerAlone } from '../hot.js';

answerAlone('next', nextQuestion);
