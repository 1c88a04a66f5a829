import type { Sabotage } from '../sabotage.ts';
import { LATEST, inside, sabotage } from './make.ts';

/** Faults of carrying out operators' commands. */
export const COMMANDS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'a paused list is polled',
    { breaks: ['aPausedListIsNotPolled'] },
    inside('feeds/operator-change.ts afterChange', {
      first: "if (change.command === 'pause') return feed;",
    }),
  ),
  sabotage(
    'a list that is resumed is not polled',
    { breaks: [LATEST] },
    inside('feeds/operator-change.ts afterChange', {
      first: "if (change.command === 'resume') return feed;",
    }),
  ),
  sabotage(
    'a rewound list jumps to the time that was ordered',
    { breaks: [LATEST] },
    inside('feeds/operator-change.ts afterChange', {
      first: "if (change.command === 'rewind') return { ...feed, cursor: change.to };",
    }),
  ),
  sabotage(
    'a run does not know that all lists are paused',
    { breaks: ['aPausedListIsNotPolled'] },
    inside('feeds/feed-registry.ts FeedRegistry.isPaused', { body: 'return paused === true;' }),
  ),
  sabotage(
    'what a list does not show is taken for gone',
    { breaks: ['noEntityIsDeletedThatTheServiceHas'] },
    inside('jobs/ask-missing.ts askFor', {
      call: 'fetchEntity',
      becomes: `Promise.resolve({ verdict: 'missing' })`,
    }),
  ),
  sabotage(
    'a reconcile passes over what lies before the cursor',
    { breaks: ['aWholeReconciliationHealsWhatWasLost', LATEST] },
    inside('jobs/reconcile.ts neverRead', { body: 'return arguments[0];' }),
  ),
  sabotage(
    'nobody is told of what is gone',
    { breaks: ['aWholeReconciliationHealsWhatWasLost'] },
    inside('commit/commit-entities.ts commitMissing', { body: '' }),
  ),
  sabotage(
    'a replay ends with the first part of a list',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'] },
    inside('jobs/replay.ts replay', {
      call: 'run.ports.store.loadStatesAfter',
      becomes: `(async () => {
        const { states } = await run.ports.store.loadStatesAfter(id, after);
        return { states };
      })()`,
    }),
  ),
  sabotage(
    'a replay publishes whatever is known',
    { breaks: ['aReplayTellsTheLatestStateOfTheTimeAndListsThatWereOrdered'] },
    inside('jobs/replay.ts isMeant', { first: 'since = undefined;' }),
  ),
  sabotage(
    'a replay is done before its list is',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'] },
    inside('jobs/list-job.ts saveJob', {
      first: "if (job.name === 'replay') progress = { ...progress, outcome: 'done' };",
    }),
  ),
  sabotage(
    'an event that the topic refuses is dropped',
    { breaks: [LATEST, 'aReplayThatIsCarriedOutOmitsNothing'] },
    inside('commit/quarantine-entity.ts quarantineEvents', { body: '' }),
  ),
];
