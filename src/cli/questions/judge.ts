import { answerToolCall } from '../../app/judging.js';
import { answerHook } from '../hot-hook.js';

answerHook(answerToolCall);
