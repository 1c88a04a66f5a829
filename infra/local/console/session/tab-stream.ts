import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { MAX_EVENTS, type ReceivedEvent, type ServerMessage } from '../protocol.ts';

/** What a tab is told of. */
export type Topic = 'session' | 'lists';

/** Where a stream takes its messages from. */
interface StreamSource {
  /** The present content; undefined for none yet. */
  read(topic: Topic): ServerMessage | undefined;
  readonly history: { readonly events: readonly ReceivedEvent[] };
  /** Begins to tell the tab of news. @returns what ends it. */
  join(tab: Tab): () => void;
}

/** Time in which news is gathered. */
const PACE_MS = 120;
/** Without news an empty comment keeps the connection, and finds out that the tab has gone. */
const HEARTBEAT_MS = 15_000;
/** Events in one message. */
const CHUNK = 500;

/** What one tab has not been told yet. Bounded: a tab that sleeps costs no more than one that listens. */
export class Tab {
  #changed = new Set<Topic>();
  #events: readonly ReceivedEvent[] = [];
  #wake: () => void = () => undefined;

  changed(topic: Topic): void {
    this.#changed.add(topic);
    this.#wake();
  }

  add(events: readonly ReceivedEvent[]): void {
    this.#events = [...this.#events, ...events].slice(-MAX_EVENTS);
    this.#wake();
  }

  close(): void {
    this.#wake();
  }

  get hasNews(): boolean {
    return this.#changed.size > 0 || this.#events.length > 0;
  }

  take(): { readonly topics: ReadonlySet<Topic>; readonly events: readonly ReceivedEvent[] } {
    const news = { topics: this.#changed, events: this.#events };
    this.#changed = new Set();
    this.#events = [];
    return news;
  }

  /** Waits for news, or for the heartbeat. */
  async wait(): Promise<void> {
    if (this.hasNews) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, HEARTBEAT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Answers with a stream of {@link ServerMessage}s: all that there is, then the news. */
export function streamToTab(context: Context, session: StreamSource): Response {
  return streamSSE(context, async (stream) => {
    const tab = new Tab();
    const stopListening = session.join(tab);
    stream.onAbort(() => {
      tab.close();
    });
    // Awaits the reader: what comes meanwhile waits in the tab, bounded.
    const send = (message: ServerMessage): Promise<void> =>
      stream.writeSSE({ data: JSON.stringify(message) });
    const sendEvents = async (all: readonly ReceivedEvent[], isFirst: boolean): Promise<void> => {
      for (let start = 0; start < all.length || (isFirst && start === 0); start += CHUNK) {
        const chunk = all.slice(start, start + CHUNK);
        await send({ type: 'events', events: chunk, isFirst: isFirst && start === 0 });
      }
    };
    try {
      tab.changed('session');
      tab.changed('lists');
      await sendEvents(session.history.events, true);
      while (!stream.aborted) {
        const news = tab.take();
        for (const topic of news.topics) {
          const message = session.read(topic);
          if (message !== undefined) await send(message);
        }
        await sendEvents(news.events, false);
        await stream.sleep(PACE_MS);
        await tab.wait();
        if (!tab.hasNews) await stream.write(':\n\n');
      }
    } finally {
      stopListening();
    }
  });
}
