import type { Sabotage } from '../sabotage.ts';
import { LATEST, LEAK, SILENT, inside, sabotage } from './make.ts';

/** Faults of comparing what is shown with what is known, and of telling it. */
export const CHANGES_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'a retry has a new id',
    { breaks: ['oneChangeHasOneIdAndOneContent'] },
    inside('events/make-event.ts makeEvent', {
      call: 'eventId',
      becomes: 'eventId(`${context.source}${context.now}`, change)',
    }),
  ),
  sabotage(
    'nested items are skipped',
    { breaks: [LATEST] },
    inside('changes/nested.ts listsToCompare', { body: 'return [];' }),
  ),
  sabotage(
    'only the first items of a checklist are compared',
    { breaks: [LATEST] },
    inside('changes/nested.ts findItems', {
      first:
        'observed = { ...observed, list: { ...observed.list, entities: observed.list.entities.slice(0, 2) } };',
    }),
  ),
  sabotage(
    'numbers are rounded',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'] },
    inside('model/json/json.ts parseJson', { body: 'return JSON.parse(text);' }),
  ),
  sabotage(
    'an account is rounded',
    { breaks: ['everyEventTellsAChangeThatHappened'] },
    inside('model/entity.ts accountOf', {
      call: 'String',
      becomes: 'String(Number(account))',
    }),
  ),
  sabotage(
    'a baseline leaks',
    { breaks: [LEAK] },
    inside('changes/detect-changes.ts detectChanges', {
      first: "options = { ...options, feed: { ...options.feed, phase: 'live' } };",
    }),
  ),
  sabotage(
    'the content of a project that was deleted before the first run stays silent',
    { breaks: [SILENT, LATEST] },
    inside('model/feed.ts isSilent', { body: "return phase === 'baseline';" }),
  ),
  sabotage(
    'an entity nested too deeply is processed',
    {
      breaks: ['aRunFailsOnlyByAnInjectedFault', 'everyInvalidEntityIsQuarantined'],
    },
    inside('model/entity.ts depthReason', { body: 'return undefined;' }),
  ),
  sabotage(
    'an error in one entity stops its list',
    { breaks: ['aRunFailsOnlyByAnInjectedFault', 'inTheEndARunIsWhole'] },
    inside('changes/observe.ts invalidEntity', { first: 'throw error;' }),
    inside('events/make-event.ts makeEvent', {
      first: "if (change.id.endsWith('3')) throw new Error('made to fail');",
    }),
  ),
  sabotage(
    'a floorplan does not name its current sheet',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'] },
    inside('model/nested-entities.ts currentId', { body: 'return [];' }),
  ),
  sabotage(
    'a replay has ids of its own',
    { breaks: ['aReplayTellsWhatWasToldBeforeByIdAndContent'] },
    inside('events/make-event.ts makeEvent', {
      call: 'eventId',
      becomes: 'eventId(`${context.source}${context.cause}`, change)',
    }),
  ),
  sabotage(
    'a state keeps what told it first',
    { breaks: ['aReplayTellsWhatWasToldBeforeByIdAndContent'] },
    inside('changes/diff.ts diff', {
      result:
        'state && result.state ? { ...result, state: { ...result.state, event: state.event } } : result',
    }),
  ),
  sabotage(
    'what is unpublished counts as published',
    { breaks: [LATEST] },
    inside('commit/publish.ts loadStates', {
      call: 'detectLast',
      becomes: '{ detected: [], invalid: [] }',
    }),
  ),
  sabotage(
    'an item that its list shows again is not restored',
    { breaks: [LATEST] },
    inside('changes/diff.ts inferRestore', { body: 'return {};' }),
  ),
];
