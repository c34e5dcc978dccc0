import { createApp } from './app.js';
import { readConfig } from './config.js';
import { TodoStore } from './store.js';

const { port, bodyLimit } = readConfig(process.env);
const server = createApp({ store: new TodoStore(), bodyLimit, log: (line) => console.error(line) });
server.listen(port, () => console.log(`todo-api listens on ${server.address().port}`));
process.on('SIGTERM', () => server.close());
