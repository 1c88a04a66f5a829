import type { ListsView, Place, RunView, SessionView } from '../../protocol.ts';

/** One place of the flow picture. */
export interface FlowNode {
  readonly place: Place;
  readonly title: string;
  readonly count: number;
  readonly unit: string;
  readonly details: string;
  /** What is wrong there; absent for nothing. */
  readonly trouble?: string;
  readonly isBusy: boolean;
}

/** The places that a change passes, with the counts of the session. */
export function flowNodes(
  view: SessionView | undefined,
  lists: ListsView | undefined,
  isStopped: boolean,
): readonly FlowNode[] {
  const flow = view?.flow;
  const lastRun = view?.runs.at(-1);
  const isRunning = lastRun?.outcome === 'running' && !isStopped;
  // A run counts only those that it may poll.
  const known = Object.values(lists?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  return [
    {
      place: 'service',
      title: view?.service.isSimulated === false ? 'Real service' : 'Simulated service',
      ...{ count: flow?.requestCount ?? 0, unit: 'requests' },
      details: 'lists with a timestamp cursor, no events',
      isBusy: isRunning,
      ...toTrouble(describeFaults(view)),
    },
    {
      place: 'poller',
      title: 'Poller',
      ...{ count: flow?.runCount ?? 0, unit: 'runs' },
      details: isStopped
        ? 'stopped'
        : isRunning
          ? `run ${lastRun.number} is under way`
          : `a run every ${view?.everySeconds ?? 5} s`,
      isBusy: isRunning,
      ...toTrouble(describeRunTrouble(view)),
    },
    {
      place: 'table',
      title: 'Table',
      ...{ count: known || (flow?.listCount ?? 0), unit: 'lists' },
      details: `cursors and last states; ${(flow?.entityCount ?? 0).toLocaleString('en')} entities compared`,
      isBusy: isRunning,
    },
    {
      place: 'topic',
      title: 'Topic',
      ...{ count: flow?.publishedCount ?? 0, unit: 'events' },
      details: 'published by completed runs',
      isBusy: false,
      ...toTrouble(
        (flow?.quarantinedCount ?? 0) > 0 ? `${flow?.quarantinedCount} quarantined` : undefined,
      ),
    },
    {
      place: 'subscribers',
      title: 'Subscribers',
      ...{ count: flow?.receivedCount ?? 0, unit: 'received' },
      details: 'by a queue of this console, repeats included',
      isBusy: false,
    },
  ];
}

function toTrouble(trouble: string | undefined): Pick<FlowNode, 'trouble'> {
  return trouble === undefined ? {} : { trouble };
}

function describeFaults(view: SessionView | undefined): string | undefined {
  const faults = view?.faults ?? [];
  if (faults.length === 0) return undefined;
  return faults
    .map(({ label, left }) => (left === undefined ? label : `${label}, ${left} more times`))
    .join('; ');
}

function describeRunTrouble(view: SessionView | undefined): string | undefined {
  if (view?.isKillArmed) return 'about to be killed';
  const last: RunView | undefined = view?.runs.findLast(({ outcome }) => outcome !== 'running');
  if (last === undefined || last.outcome === 'completed') return undefined;
  if (last.outcome === 'killed') return `run ${last.number} was killed`;
  if (last.outcome === 'lease held') return 'waits: the killed run still holds its lease';
  return `run ${last.number}: ${last.details}`;
}
