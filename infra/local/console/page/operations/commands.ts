import type { ListState } from '../../../../../functions/control/protocol.ts';
import type { Requests } from '../../protocol.ts';

/** A command of operators, as a row of the lists offers it. */
export interface ListCommand {
  readonly label: string;
  readonly title?: string;
  /** States of lists for which it makes sense. */
  readonly states: readonly ListState[];
  readonly request: (scope: { readonly list: string }) => Requests['control'];
}

const tenMinutesAgo = (): string => new Date(Date.now() - 600_000).toISOString();

/** Add a command here, and each list offers it. */
export const LIST_COMMANDS: readonly ListCommand[] = [
  {
    label: 'Pause',
    states: ['live', 'baseline', 'waiting'],
    request: (scope) => ({ command: 'pause', scope }),
  },
  { label: 'Resume', states: ['paused'], request: (scope) => ({ command: 'resume', scope }) },
  { label: 'Retry', states: ['waiting'], request: (scope) => ({ command: 'retry', scope }) },
  {
    label: 'Rewind 10 min',
    title: 'Read the last 10 minutes of the list again',
    states: ['live'],
    request: (scope) => ({ command: 'rewind', scope, to: tenMinutesAgo() }),
  },
  {
    label: 'Replay 10 min',
    title: 'Publish the events of the last 10 minutes again',
    states: ['live'],
    request: (scope) => ({ command: 'replay', scope, since: tenMinutesAgo() }),
  },
];
