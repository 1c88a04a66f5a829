import { expect, it } from 'vitest';
import { waitsFor } from '../../../../../infra/local/console/page/flow/waits-for.ts';

const LIST = 'projects/p/floorplans';
const nextPollAt = '2026-11-24T08:00:41Z';

it.each<[what: string, view: object, list: object, text: RegExp]>([
  ['nothing', { runs: [{ outcome: 'completed' }] }, { state: 'live' }, /one of its next runs/],
  ['a switched off service', { service: { isSwitchedOff: true } }, {}, /switched off/],
  ['a paused list', {}, { state: 'paused' }, /after a Resume/],
  ['a waiting list', {}, { state: 'waiting', nextPollAt }, /at \d\d:\d\d:41, or after a Retry/],
  ['the lease of a killed run', { runs: [{ outcome: 'lease held' }] }, {}, /holds its lease/],
])('says what a change waits for: %s', (_, view, list, text) => {
  const session = { service: {}, runs: [], ...view };
  const lists = { lists: [{ list: LIST, ...list }] };
  expect(waitsFor(LIST, session as never, lists as never)).toMatch(text);
});
