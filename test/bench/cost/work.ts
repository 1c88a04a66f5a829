import { median, type Scale } from '../bench.ts';
import { measureScale } from '../scale.ts';
import { runWorker, type WorkerResult } from './worker/run-worker.ts';

/** Work of the poller: milliseconds of CPU on one core of this machine, bytes sent and logged. */
export interface Work {
  /** A run that has next to nothing to do: lease, queries, summary. */
  readonly cpuMsOfRun: number;
  /** A list in scheduler and store, whether it is polled or not. */
  readonly cpuMsOfFeed: number;
  /** A request that finds nothing new: client, HTTP without TLS, parsing. */
  readonly cpuMsOfRequest: number;
  /** A change: loading its state, comparing, publishing, saving. */
  readonly cpuMsOfEvent: number;
  /** Bytes of a request to the service, before TLS, with a token of 600 letters. */
  readonly bytesOfRequest: number;
  /** Log entries and metrics of a run, in bytes. */
  readonly logBytesOfRun: number;
}

const UNLIMITED = 60_000;
const NOTHING_NEW = { lists: 0, entities: 0, extraBytes: 0 };

/** Measures the handler that ships in a process of its own. */
export async function measureWork(scale: Scale): Promise<Work> {
  const isFull = scale === 'full';
  const [few, many, runs] = isFull ? [10, 500, 12] : [1, 2, 2];
  const [lists, entities] = isFull ? [4, 2_000] : [1, 10];
  const settings = { runs, requestsPerMinute: UNLIMITED };
  const small = await runWorker({ ...NOTHING_NEW, projects: few }, settings);
  const large = await runWorker({ ...NOTHING_NEW, projects: many }, settings);
  const changed = await runWorker(
    { projects: few, lists, entities, extraBytes: 0 },
    { ...settings, runs: 1 },
  );
  const [cpuMsOfSmall, cpuMsOfLarge] = [warmRun(small), warmRun(large)];
  const projects = isFull ? 10_000 : 10;
  measureScale(projects);
  const { feeds, loadMs, decodeMs, rankMs, encodeMs } = measureScale(projects);
  return {
    cpuMsOfRun: cpuMsOfSmall,
    cpuMsOfFeed: (loadMs + decodeMs + rankMs + encodeMs) / feeds,
    cpuMsOfRequest: Math.max(0, cpuMsOfLarge - cpuMsOfSmall) / (2 * (many - few)),
    cpuMsOfEvent: Math.max(0, baseline(changed) - baseline(small)) / changed.events,
    bytesOfRequest: large.requestBytes / large.requests,
    logBytesOfRun: large.logBytes / runs,
  };
}

/** CPU of a run of the later half, when the code has been compiled. */
function warmRun({ runs }: WorkerResult): number {
  return median(runs.slice(runs.length >> 1).map(({ cpuMs }) => cpuMs));
}

function baseline({ runs: [first] }: WorkerResult): number {
  return first?.cpuMs ?? NaN;
}
