import { statusQuestion } from '../../app/questions.js';
import { answerAlone } from '../hot.js';

answerAlone('status', statusQuestion);
