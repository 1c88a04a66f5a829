import type { ListStatus } from '../../../../../functions/control/protocol.ts';
import type { Requests } from '../../protocol.ts';
import { session } from '../state/session.ts';

/** A command of operators, as a row of the lists offers it. */
export interface ListCommand {
  readonly label: string;
  readonly title?: string;
  /** Lists that it makes sense for. */
  readonly applies: (list: ListStatus) => boolean;
  readonly request: (list: ListStatus) => Requests['control'];
}

const MINUTE_MS = 60_000;

/** Add a command here, and each list offers it. */
export const LIST_COMMANDS: readonly ListCommand[] = [
  {
    label: 'Pause',
    applies: ({ state }) => state === 'live' || state === 'baseline' || state === 'waiting',
    request: ({ list }) => ({ command: 'pause', scope: { list } }),
  },
  {
    label: 'Resume',
    applies: ({ state }) => state === 'paused',
    request: ({ list }) => ({ command: 'resume', scope: { list } }),
  },
  {
    label: 'Retry',
    applies: ({ state }) => state === 'waiting',
    request: ({ list }) => ({ command: 'retry', scope: { list } }),
  },
  {
    label: 'Rewind 10 min',
    title: 'Read the last 10 minutes of the list again',
    applies: ({ state, cursor }) => state === 'live' && cursor !== undefined,
    request: ({ list }) => ({
      command: 'rewind',
      scope: { list },
      to: timeAt(Date.now() - 10 * MINUTE_MS),
    }),
  },
  {
    label: 'Replay 10 min',
    title: 'Publish the events of the last 10 minutes again',
    applies: ({ state }) => state === 'live',
    request: ({ list }) => {
      // Nothing was published before.
      const since = Math.max(Date.now() - 10 * MINUTE_MS, session.value?.learnedAt ?? 0);
      return { command: 'replay', scope: { list }, since: timeAt(since) };
    },
  },
];

function timeAt(time: number): string {
  return new Date(time).toISOString();
}
