import { listQuestion } from '../../app/questions.js';
import { answerAlone } from '../hot.js';

answerAlone('list', listQuestion);
