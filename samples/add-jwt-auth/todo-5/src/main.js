import { createApp } from './app.js';
import { readConfig } from './config.js';
import { makeGuard } from './guard.js';
import { TodoStore } from './store.js';

const { port, bodyLimit, authSecret, authMode } = readConfig(process.env);
const log = (line) => console.error(line);
const guard = makeGuard({ secret: authSecret, mode: authMode, log });
const server = createApp({ store: new TodoStore(), guard, bodyLimit, log });
server.listen(port, () => console.log(`todo-api listens on ${server.address().port}, AUTH_MODE ${authMode}`));
process.on('SIGTERM', () => server.close());
