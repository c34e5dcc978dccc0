import { crashSuite } from './crash.js';

crashSuite('first');
