import { manifestQuestion } from '../../app/questions.js';
import { answerAlone } from '../hot.js';

answerAlone('manifest', manifestQuestion);
