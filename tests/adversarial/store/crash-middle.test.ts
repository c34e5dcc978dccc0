import { crashSuite } from './crash.js';

crashSuite('middle');
