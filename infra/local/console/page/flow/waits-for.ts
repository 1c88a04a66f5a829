import type { ListsView, SessionView } from '../../protocol.ts';
import { showTime } from '../format.ts';

/** The reason why a change in a list has no event yet. */
export function waitsFor(
  name: string | undefined,
  view: SessionView | undefined,
  lists: ListsView | undefined,
): string {
  if (view?.service.isSwitchedOff) {
    return 'The service is switched off: a run finds it once you switch it on again.';
  }
  const found = lists?.lists.find(({ list }) => list === name);
  if (found?.state === 'paused') {
    return 'Its list is paused: a run finds it after a Resume under Lists.';
  }
  if (found?.state === 'waiting') {
    const again = found.nextPollAt === undefined ? 'soon' : `at ${showTime(found.nextPollAt)}`;
    return `Its list waits, and is polled again ${again}, or after a Retry under Lists.`;
  }
  const last = view?.runs.findLast(({ outcome }) => outcome !== 'running');
  if (last?.outcome === 'killed' || last?.outcome === 'lease held') {
    return 'The killed run holds its lease for up to 20 s: a run after that finds it.';
  }
  return 'The poller will find it with one of its next runs …';
}
