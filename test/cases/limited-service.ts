import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { Random } from '../../infra/local/simulator/world/random.ts';
import { DEFAULTS, pollOnce } from '../support/as-deployed.ts';
import { idleFeeds, projectId } from '../support/idle-feeds.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { VirtualService } from '../support/virtual-service.ts';
import { MINUTE_MS, VirtualTime } from '../support/virtual-time.ts';

const PROJECTS = 80;
const PER_SECOND = 10;
/** Each project's floorplans change once in so many minutes. */
const CHANGE_MINUTES = 10;
/** Minutes that do not count: the client has not been refused before. */
const LEARNING_MINUTES = 10;

/**
 * 161 lists of a service that refuses the eleventh request of a second, polled each minute by the
 * client that ships with the default config, in virtual time.
 */
export async function measureLimited(countedMinutes: number) {
  const minutes = LEARNING_MINUTES + countedMinutes;
  const time = new VirtualTime(Date.parse('2026-03-02T08:00:00.000Z'));
  const countedFrom = time.now + LEARNING_MINUTES * MINUTE_MS;
  const service = new VirtualService(time, { latencyMs: 150, answer: refusalsOf(time) });
  const store = new MemoryStore();
  await store.addFeeds(idleFeeds(PROJECTS, time.now - 1));
  changeAtRandom(service, time.now, minutes);
  const delays: number[] = [];
  const topic = {
    publish: (events: readonly ChangeEvent[]) => {
      const counted = events
        .map((event) => Date.parse(event.time))
        .filter((at) => at >= countedFrom);
      delays.push(...counted.map((at) => time.now - at));
      return Promise.resolve([]);
    },
  };
  const ticks = (async () => {
    for (let i = 0; i < minutes; i += 1) {
      const begun = time.now;
      const remainingMs = (): number => begun + DEFAULTS.timeoutSeconds * 1000 - time.now;
      await pollOnce({ api: service.api, clock: time.clock, store, topic }, { remainingMs });
      await time.sleep(begun + MINUTE_MS - time.now);
    }
  })();
  await time.passUntil(ticks);
  const counted = service.requests.filter(({ at }) => at >= countedFrom);
  const refused = counted.filter(({ status }) => status === 429);
  return {
    limitedP95: (delays.sort((a, b) => a - b)[Math.floor(delays.length * 0.95)] ?? NaN) / 1000,
    limitedRefused: (100 * refused.length) / counted.length,
  };
}

/** Refuses what exceeds the limit of a second until the next second. */
function refusalsOf(time: VirtualTime) {
  let starts: number[] = [];
  return async (): Promise<Response | undefined> => {
    starts = starts.filter((start) => start > time.now - 1000);
    const [first = 0] = starts;
    if (starts.length < PER_SECOND) {
      starts.push(time.now);
      return undefined;
    }
    await time.sleep(60);
    const headers = { 'x-ratelimit-reset': String(Math.floor(first / 1000) + 1) };
    return new Response('', { status: 429, headers });
  };
}

function changeAtRandom(service: VirtualService, start: number, minutes: number): void {
  const random = new Random(1, 'limited');
  const periodMs = CHANGE_MINUTES * MINUTE_MS;
  for (let project = 0; project < PROJECTS; project += 1) {
    const path = `/projects/${projectId(project)}/floorplans`;
    for (let at = start; at < start + minutes * MINUTE_MS; at += periodMs) {
      const updated_at = new Date(at + random.below(periodMs)).toISOString();
      service.put(path, { id: String(at), updated_at, deleted_at: null });
    }
  }
}
