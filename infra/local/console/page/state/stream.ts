import type { ServerMessage } from '../../protocol.ts';
import { addEvents } from './events.ts';
import { connection, lists, session } from './state.ts';

const RETRY_MS = 2_000;
/** A hidden tab gives its connection back: a browser has six for all tabs. */
const HIDDEN_MS = 60_000;

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Opens the stream, again after it was lost. The server sends all that there is first. */
export function openStream(): void {
  clearTimeout(retry);
  source?.close();
  const opened = new EventSource('/api/stream');
  source = opened;
  opened.addEventListener('open', () => {
    connection.value = 'open';
  });
  opened.addEventListener('message', ({ data }) => {
    receive(JSON.parse(String(data)) as ServerMessage);
  });
  opened.addEventListener('error', () => {
    connection.value = 'lost';
    opened.close();
    clearTimeout(retry);
    retry = setTimeout(openStream, RETRY_MS);
  });
}

function receive(message: ServerMessage): void {
  if (message.type === 'session') session.value = message.session;
  else if (message.type === 'lists') lists.value = message.view;
  else addEvents(message);
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(closeStream, HIDDEN_MS);
  else if (connection.value !== 'open') openStream();
});

function closeStream(): void {
  source?.close();
  clearTimeout(retry);
  connection.value = 'connecting';
}
