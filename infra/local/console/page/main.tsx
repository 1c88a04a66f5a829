import { render } from 'preact';
import { App } from './app.tsx';
import { openStream } from './state/stream.ts';

const root = document.querySelector('#app');
if (root) render(<App />, root);
openStream();
