import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { ListsView, StreamMessage } from '../protocol.ts';
import type { ConsoleSession } from '../session/console-session.ts';

/** Time in which news is gathered. */
const PACE_MS = 150;

/** Answers with a stream of {@link StreamMessage}s: all that there is, then the news. */
export function streamToTab(context: Context, session: ConsoleSession): Response {
  return streamSSE(context, async (stream) => {
    let sent = { view: '', eventCount: 0, lists: undefined as ListsView | undefined };
    while (!stream.aborted) {
      const { lists, history } = session;
      const view = session.view();
      const now = { view: JSON.stringify(view), eventCount: history.count, lists };
      if (now.view !== sent.view || lists !== sent.lists) {
        const message: StreamMessage = {
          session: view,
          ...(lists && lists !== sent.lists && { lists }),
          events: history.since(sent.eventCount),
        };
        sent = now;
        // Awaits the reader: a tab that sleeps costs nothing.
        await stream.writeSSE({ data: JSON.stringify(message) });
      }
      await stream.sleep(PACE_MS);
    }
  });
}
