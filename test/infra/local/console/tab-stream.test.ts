import { describe, expect, it } from 'vitest';
import { MAX_EVENTS, type ReceivedEvent } from '../../../../infra/local/console/protocol.ts';
import { EventHistory } from '../../../../infra/local/console/session/event-history.ts';
import { Tab } from '../../../../infra/local/console/session/tab-stream.ts';

const textOf = (id: number): string =>
  JSON.stringify({ id: `${id}`, recordedtime: '2026-03-02T08:00:01.000Z' });

describe('a tab that sleeps', () => {
  it('is told of the latest events alone, and once of what changed often', () => {
    const tab = new Tab();
    for (let id = 0; id < MAX_EVENTS + 100; id += 1) {
      tab.add([{ receivedAt: id } as ReceivedEvent]);
      tab.changed('session');
    }
    const { topics, events } = tab.take();
    expect([...topics]).toEqual(['session']);
    expect(events).toHaveLength(MAX_EVENTS);
    expect(events.at(-1)?.receivedAt).toBe(MAX_EVENTS + 99);
    expect(tab.hasNews).toBe(false);
  });

  it('is woken by news', async () => {
    const tab = new Tab();
    const woken = tab.wait();
    tab.changed('lists');
    await woken;
    expect(tab.hasNews).toBe(true);
  });
});

describe('the history of events', () => {
  it('tells which run published an event, and repeats by their ids', () => {
    const start = Date.parse('2026-03-02T08:00:00.000Z');
    const runs = [0, 1_500].map((after, index) => ({
      number: index + 1,
      startedAt: start + after,
    }));
    const history = new EventHistory(() => runs as never);
    history.add([textOf(1), textOf(2), textOf(1)]);
    expect(history.events).toMatchObject([
      { run: 1, isRepeat: false },
      { run: 1, isRepeat: false },
      { run: 1, isRepeat: true },
    ]);
    expect(history.receivedCount).toBe(3);
  });

  it('keeps the latest events', () => {
    const history = new EventHistory(() => []);
    history.add(Array.from({ length: MAX_EVENTS + 1 }, (_, id) => textOf(id)));
    expect(history.events).toHaveLength(MAX_EVENTS);
    expect(history.events[0]?.event.id).toBe('1');
  });
});
