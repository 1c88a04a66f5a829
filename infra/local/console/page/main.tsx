import { render } from 'preact';
import { App } from './app.tsx';
import { keepFocus } from './keep-focus.ts';
import { openStream } from './state/stream.ts';

const root = document.querySelector('#app');
if (root) {
  render(<App />, root);
  keepFocus(root);
}
openStream();
