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
    inside('run/sweep.ts sweep', { first: 'run = { ...run, isAllPaused: false };' }),
  ),
  sabotage(
    'what a list does not show is taken for gone',
    { breaks: ['noEntityIsDeletedThatTheServiceHas'] },
    inside('run/long-commands/ask-missing.ts MissingEntities.ask', {
      call: 'this.#askFor',
      becomes: `Promise.resolve('missing')`,
    }),
  ),
  sabotage(
    'a reconciliation passes over what lies before the cursor',
    { breaks: ['aWholeReconciliationHealsWhatWasLost', LATEST] },
    inside('run/long-commands/read-window.ts readFrom', { body: 'return feed;' }),
  ),
  sabotage(
    'nobody is told of what is gone',
    { breaks: ['aWholeReconciliationHealsWhatWasLost'] },
    inside('run/long-commands/ask-missing.ts MissingEntities.#tellGone', { body: '' }),
  ),
  sabotage(
    'a replay ends with the first part of a list',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'] },
    inside('run/long-commands/replay.ts replayList', {
      call: 'run.ports.store.loadStatesAfter',
      becomes: `(async () => {
        const { states } = await run.ports.store.loadStatesAfter(feed.id, after);
        return { states };
      })()`,
    }),
  ),
  sabotage(
    'a replay tells again whatever is known',
    { breaks: ['aReplayTellsTheLatestStateOfTheTimeAndListsThatWereOrdered'] },
    inside('run/long-commands/replay.ts replayStates', {
      first: "command = { ...command, since: '2000-01-01T00:00:00Z' };",
    }),
  ),
  sabotage(
    'an event that the topic refuses is dropped',
    { breaks: [LATEST, 'aReplayThatIsCarriedOutOmitsNothing'] },
    inside('commit/quarantine-entity.ts quarantineEvents', { body: '' }),
  ),
  sabotage(
    'a command is deleted before its steps are done',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'] },
    inside('run/long-commands/work-on-commands.ts workOn', {
      first: 'await context.run.ports.store.deleteCommands([placed]);',
    }),
  ),
];
