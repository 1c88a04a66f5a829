import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { StreamMessage } from '../protocol.ts';
import type { ConsoleSession } from '../session/console-session.ts';

/** Time in which news is gathered. */
const PACE_MS = 150;

/** Answers with a stream of {@link StreamMessage}s: all that there is, then the news. */
export function streamToTab(context: Context, session: ConsoleSession): Response {
  return streamSSE(context, async (stream) => {
    session.tabCount += 1;
    stream.onAbort(() => {
      session.tabCount -= 1;
    });
    void session.readLists();
    let sent = { version: -1, eventNumber: 0, lists: session.lists };
    while (!stream.aborted) {
      const { version, lists, history } = session;
      if (version !== sent.version) {
        const message: StreamMessage = {
          session: session.view(),
          ...(lists && (lists !== sent.lists || sent.version < 0) && { lists }),
          events: history.since(sent.eventNumber),
        };
        sent = { version, eventNumber: history.count, lists };
        // Awaits the reader: a tab that sleeps costs nothing.
        await stream.writeSSE({ data: JSON.stringify(message) });
      }
      await stream.sleep(PACE_MS);
    }
  });
}
