import { answerStatus } from '../../app/questions.js';
import { answerQuestion } from '../hot.js';

answerQuestion('status', answerStatus);
