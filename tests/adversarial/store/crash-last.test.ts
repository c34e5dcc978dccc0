import { crashSuite } from './crash.js';

crashSuite('last');
