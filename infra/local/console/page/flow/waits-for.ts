import type { ListsView, SessionView } from '../../protocol.ts';
import { showTime } from '../format.ts';

/** Time without a run after which the poller counts as dead, in turns. */
const DEAD_TURNS = 3;
const DEAD_MS = 10_000;

/** Says what a change in a list waits for until its event comes. */
export function waitsFor(
  list: string | undefined,
  view: SessionView | undefined,
  lists: ListsView | undefined,
  now: number,
): string {
  if (view?.faults.some(({ isSwitchedOff }) => isSwitchedOff)) {
    return 'The service is switched off: a run finds it once you switch it on again.';
  }
  return (
    describeList(list, lists, now) ??
    describeRuns(view, now) ??
    'The poller will find it with one of its next runs …'
  );
}

function describeRuns(view: SessionView | undefined, now: number): string | undefined {
  if (view?.isKillArmed) return 'The next run is killed: a later one finds it.';
  const last = view?.runs.findLast(({ outcome }) => outcome !== 'running');
  if (last?.outcome === 'killed' || last?.outcome === 'lease held') {
    return 'The killed run holds its lease for up to 20 s: a run after that finds it.';
  }
  if (last?.outcome === 'failed') {
    return 'The last run has failed, see What happened: the next one that is whole finds it.';
  }
  const latest = view?.runs.at(-1);
  const silentMs = latest ? now - latest.startedAt : 0;
  const isDead = silentMs > DEAD_TURNS * 1000 * (view?.everySeconds ?? 0) + DEAD_MS;
  if (isDead && latest?.outcome !== 'running') {
    return `No run has begun since ${showTime(latest?.startedAt ?? 0)}: the next one finds it.`;
  }
  return undefined;
}

function describeList(
  name: string | undefined,
  lists: ListsView | undefined,
  now: number,
): string | undefined {
  const found = lists?.lists.find(({ list }) => list === name);
  const nextPollAt = Date.parse(found?.nextPollAt ?? '');
  switch (found?.state) {
    case 'paused':
      return 'Its list is paused: a run finds it after a Resume under Lists.';
    case 'waiting':
      return nextPollAt > now
        ? `Its list waits, and is polled again at ${showTime(nextPollAt)}, or after a Retry under Lists.`
        : 'Its list waits: the next poll that succeeds finds it.';
    default:
      return undefined;
  }
}
