import { answerEvent } from '../../app/hearing.js';
import { answerHook } from '../hot-hook.js';

answerHook(answerEvent);
