import { render } from 'preact';
import { App } from './app.tsx';
import { openStream } from './state/session.ts';
import { keepSiteRead } from './state/site.ts';

const root = document.querySelector('#app');
if (root) render(<App />, root);
openStream();
keepSiteRead();
