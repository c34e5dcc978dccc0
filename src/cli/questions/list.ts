import { answerList } from '../../app/questions.js';
import { answerQuestion } from '../hot.js';

answerQuestion('list', answerList);
