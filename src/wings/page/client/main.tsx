import { render } from 'preact';
import { App } from './app.js';
import { openFile, openServer } from './source.js';

const data = document.querySelector<HTMLTemplateElement>('template#data');
const place = document.getElementById('app');
if (place !== null) render(<App source={data === null ? await openServer() : await openFile(data)} />, place);
