import { answerManifest } from '../../app/questions.js';
import { answerQuestion } from '../hot.js';

answerQuestion('manifest', answerManifest);
