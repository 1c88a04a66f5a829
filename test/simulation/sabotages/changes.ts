import type { Sabotage } from '../sabotage.ts';
import { LATEST, LEAK, SILENT, inside, sabotage } from './make.ts';

/** Faults of comparing what is shown with what is known, and of telling it. */
export const CHANGES_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'a retry has a new id',
    { breaks: ['oneChangeHasOneIdAndOneContent'], firstSeed: 6 },
    inside('events/make-event.ts makeEvent', {
      call: 'eventId',
      becomes: 'eventId(`${context.source}${context.now}`, change)',
    }),
  ),
  sabotage(
    'nested items are skipped',
    { breaks: [LATEST] },
    inside('changes/nested-changes.ts differs', { body: 'return false;' }),
  ),
  sabotage(
    'the cursor passes a list that is not decided',
    { breaks: [LATEST], firstSeed: 997003817 },
    inside('changes/list-changes.ts isDecidedSoon', { body: 'return false;' }),
  ),
  sabotage(
    'only the first items of a checklist are compared',
    { breaks: [LATEST], firstSeed: 83 },
    inside('changes/nested-changes.ts keysToCompare', { result: 'result.slice(0, 2)' }),
  ),
  sabotage(
    'a checklist looks as before while its items are in the outbox',
    { breaks: [LATEST], firstSeed: 1063 },
    inside('changes/nested-changes.ts withOutboxMarks', { body: 'return [];' }),
  ),
  sabotage(
    'numbers are rounded',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'] },
    inside('model/json/json.ts parseJson', { body: 'return JSON.parse(text);' }),
  ),
  sabotage(
    'an account is rounded',
    { breaks: ['everyEventTellsAChangeThatHappened'] },
    inside('model/project-state.ts accountOf', {
      call: 'String',
      becomes: 'String(Number(account))',
    }),
  ),
  sabotage(
    'a baseline leaks',
    { breaks: [LEAK] },
    inside('changes/detect-changes.ts detectChanges', {
      first: "feed = { ...feed, phase: 'live' };",
    }),
  ),
  sabotage(
    'an item that a copy which lags does not show is deleted',
    { breaks: ['everyEventTellsAChangeThatHappened'], firstSeed: 4662 },
    inside('changes/list-changes.ts mayBeOutdated', { body: 'return false;' }),
  ),
  sabotage(
    'the content of a project that was deleted before the first run stays silent',
    { breaks: [SILENT, LATEST], firstSeed: 185 },
    inside('model/feed.ts isSilent', { body: "return phase === 'baseline';" }),
  ),
  sabotage(
    'an entity nested too deeply is processed',
    {
      breaks: ['aRunFailsOnlyByAnInjectedFault', 'everyInvalidEntityIsQuarantined'],
      firstSeed: 47,
    },
    inside('model/entity.ts depthReason', { body: 'return undefined;' }),
  ),
  sabotage(
    'an item beside an invalid one is published without being in the outbox',
    { breaks: [LATEST], firstSeed: 1031 },
    inside('changes/list-changes.ts detectListChanges', {
      call: 'diffs.flatMap',
      becomes: '(item.invalid.length === 0 ? diffs.flatMap(addToOutbox) : [])',
    }),
  ),
  sabotage(
    'an event whose content is lost is repeated without it',
    {
      breaks: ['oneChangeHasOneIdAndOneContent', 'everyEventTellsAChangeThatHappened'],
      firstSeed: 1215,
    },
    inside('changes/outbox.ts replayFromOutbox', {
      first: `
      const isKept = observed?.version === state.version;
      state.content ??= () => (isKept ? observed.object : { id });`,
    }),
  ),
  sabotage(
    'an error in one entity stops its list',
    { breaks: ['aRunFailsOnlyByAnInjectedFault', 'inTheEndARunIsWhole'] },
    inside('changes/invalid-entity.ts workOn', { body: 'return work();' }),
    inside('events/make-event.ts makeEvent', {
      first: "if (change.id.endsWith('3')) throw new Error('made to fail');",
    }),
  ),
  sabotage(
    'an invalid entity is quarantined on every poll',
    { breaks: ['anInvalidEntityIsQuarantinedOnce'], firstSeed: 7 },
    inside('changes/invalid-entity.ts notYetKept', { body: 'return deduplicate(invalid);' }),
  ),
  sabotage(
    'a floorplan does not name its current sheet',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'], firstSeed: 5 },
    inside('model/resource-catalog.ts idOf', { body: 'return [];' }),
  ),
  sabotage(
    'an entity that is back after it was forgotten has its old sequence',
    { breaks: ['anEntitysSequenceNeverStepsBackAmongFirstDeliveries', LATEST], firstSeed: 3851 },
    inside('changes/detect-changes.ts detectOwnChanges', {
      call: 'afterForgotten',
      becomes: 'shown',
    }),
  ),
  sabotage(
    'an item that is back after it was forgotten has its old sequence',
    { breaks: ['anEntitysSequenceNeverStepsBackAmongFirstDeliveries', LATEST], firstSeed: 504 },
    inside('changes/diff.ts afterForgotten', { body: 'return found;' }),
  ),
  sabotage(
    'a delete that is forgotten is told again',
    {
      breaks: ['anEventIsRepeatedOnlyAfterAFault', 'oneChangeHasOneIdAndOneContent'],
      firstSeed: 631,
    },
    inside('changes/diff.ts mayBeForgotten', { body: 'return false;' }),
  ),
  sabotage(
    'what is back is told before its delete',
    { breaks: ['everyEventHasTheRightActionFieldsAndOldValues'], firstSeed: 150002445 },
    inside('changes/detect-changes.ts detectOwnChanges', { call: 'isPending', becomes: 'false' }),
  ),
  sabotage(
    'a replay has ids of its own',
    { breaks: ['aReplayTellsWhatWasToldBeforeByIdAndContent'], firstSeed: 11 },
    inside('events/make-event.ts makeEvent', {
      call: 'eventId',
      becomes: 'eventId(`${context.source}${context.cause}`, change)',
    }),
  ),
  sabotage(
    'a state keeps what told it first',
    { breaks: ['aReplayTellsWhatWasToldBeforeByIdAndContent'], firstSeed: 77 },
    inside('changes/diff.ts stateOf', { result: '({ ...result, told: before?.told })' }),
    inside('changes/tell.ts tell', {
      result: `({
        ...result,
        ...(state?.told && { state: { ...result.state, told: state.told } }),
      })`,
    }),
  ),
];
