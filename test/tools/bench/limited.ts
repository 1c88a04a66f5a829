import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { Random } from '../../../infra/local/simulator/world/random.ts';
import { VirtualTime } from '../../simulation/world/virtual-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import type { Figures, Scale } from './figures.ts';
import { DEFAULTS, LATENCY_MS } from './fixture/defaults.ts';
import { EncodingTopic } from './fixture/encoding.ts';
import { idleFeeds, projectId } from './fixture/idle-feeds.ts';
import { pollOnce } from './fixture/poller.ts';
import { VirtualService } from './fixture/virtual-service.ts';

const PROJECTS = 80;
const MINUTE_MS = 60_000;
/** Each project's floorplans change once in so many minutes. */
const CHANGE_MINUTES = 10;
/** Minutes that do not count: the client has not been refused before. */
const LEARNING_MINUTES = 10;

/**
 * 161 lists of a service that refuses the eleventh request of a second, polled each minute by the
 * client that ships with the default config, in virtual time.
 */
export async function measureLimited(scale: Scale): Promise<Figures> {
  const minutes = LEARNING_MINUTES + (scale === 'full' ? 180 : 20);
  const time = new VirtualTime(Date.parse('2026-03-02T08:00:00.000Z'));
  const countedFrom = time.now + LEARNING_MINUTES * MINUTE_MS;
  const service = new VirtualService(time, { latencyMs: LATENCY_MS.service, perSecond: 10 });
  const store = new MemoryStore();
  await store.addFeeds(idleFeeds(PROJECTS, time.now - 1));
  changeAtRandom(service, time.now, minutes);
  const topic = new WatchedTopic(time);
  const { api, clock } = service;
  const ticks = (async () => {
    for (let i = 0; i < minutes; i += 1) {
      if (i === LEARNING_MINUTES) service.resetCounts();
      const begun = time.now;
      const remainingMs = (): number => begun + DEFAULTS.timeoutSeconds * 1000 - time.now;
      await pollOnce({ api, clock, store, topic }, { remainingMs });
      await time.sleep(begun + MINUTE_MS - time.now);
    }
  })();
  await time.pass();
  await ticks;
  const delays = topic.delays.filter(({ at }) => at >= countedFrom).map(({ ms }) => ms);
  const { answered, refused } = service;
  return {
    limitedP95: (delays.sort((a, b) => a - b)[Math.floor(delays.length * 0.95)] ?? NaN) / 1000,
    limitedRefused: (100 * refused) / (answered + refused),
  };
}

function changeAtRandom(service: VirtualService, start: number, minutes: number): void {
  const random = new Random(1, 'limited');
  const periodMs = CHANGE_MINUTES * MINUTE_MS;
  for (let project = 0; project < PROJECTS; project += 1) {
    const path = `/projects/${projectId(project)}/floorplans`;
    for (let at = start; at < start + minutes * MINUTE_MS; at += periodMs) {
      service.change(path, at + random.below(periodMs));
    }
  }
}

/** Tells how old each change is when its event is published. */
class WatchedTopic extends EncodingTopic {
  readonly delays: { readonly at: number; readonly ms: number }[] = [];
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    super();
    this.#time = time;
  }

  override publish(events: readonly ChangeEvent[]) {
    for (const event of events) {
      const at = Date.parse(event.time);
      this.delays.push({ at, ms: this.#time.now - at });
    }
    return super.publish(events);
  }
}
