import { expect, it } from 'vitest';
import { waitsFor } from '../../../../../infra/local/console/page/flow/waits-for.ts';
import type { ListsView, SessionView } from '../../../../../infra/local/console/protocol.ts';

const NOW = Date.parse('2026-11-24T08:00:00Z');
const LIST = 'projects/p/floorplans';

function viewWith(view: object): SessionView {
  return { everySeconds: 5, faults: [], runs: [], ...view } as unknown as SessionView;
}

function listsWith(list: object): ListsView {
  return { lists: [{ list: LIST, ...list }] } as unknown as ListsView;
}

const run = (outcome: string, startedAt = NOW - 1_000) => ({ runs: [{ outcome, startedAt }] });

it.each<[what: string, view: object, list: object, text: string]>([
  ['nothing', run('completed'), { state: 'live' }, 'one of its next runs'],
  ['a switched off service', { faults: [{ isSwitchedOff: true }] }, {}, 'is switched off'],
  ['a paused list', {}, { state: 'paused' }, 'Its list is paused'],
  [
    'a waiting list',
    {},
    { state: 'waiting', nextPollAt: '2026-11-24T08:00:41Z' },
    'Its list waits, and is polled again at',
  ],
  ['a waiting list that is due', {}, { state: 'waiting' }, 'the next poll that succeeds'],
  ['a run that will be killed', { isKillArmed: true }, {}, 'The next run is killed'],
  ['the lease of a killed run', run('lease held'), {}, 'holds its lease'],
  ['runs that fail', run('failed'), {}, 'The last run has failed'],
  ['a poller that is dead', run('completed', NOW - 60_000), {}, 'No run has begun since'],
])('says what a change waits for: %s', (_, view, list, text) => {
  expect(waitsFor(LIST, viewWith(view), listsWith(list), NOW)).toContain(text);
});
