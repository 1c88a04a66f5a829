import type { Sabotage } from '../sabotage.ts';
import { LATEST, inside, sabotage } from './make.ts';

/** Faults of carrying out operators' commands. */
export const COMMANDS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'a paused list is polled',
    { breaks: ['aPausedListIsNotPolled'], firstSeed: 14 },
    inside('feeds/apply-commands.ts afterCommand', {
      first: "if (command.name === 'pause') return feed;",
    }),
  ),
  sabotage(
    'a list that is resumed is not polled',
    { breaks: [LATEST], firstSeed: 84 },
    inside('feeds/apply-commands.ts afterCommand', {
      first: "if (command.name === 'resume') return feed;",
    }),
  ),
  sabotage(
    'a rewound list jumps to the time that was ordered',
    { breaks: [LATEST], firstSeed: 14 },
    inside('feeds/apply-commands.ts afterCommand', {
      first: "if (command.name === 'rewind') return { ...feed, cursor: command.to };",
    }),
  ),
  sabotage(
    'commands are carried out again and again',
    {
      breaks: ['aPausedListIsNotPolled', LATEST, 'aQuietServiceCostsNothingButItsRequests'],
      firstSeed: 3,
    },
    inside('feeds/apply-commands.ts applyCommands', {
      first: 'store = { deleteCommands: () => Promise.resolve() };',
    }),
  ),
  sabotage(
    'the cursor passes an entity that may be back',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 11126 },
    inside('run/commit/commit-page.ts heldBefore', { body: 'return feedPage;' }),
  ),
  sabotage(
    'a version after its delete proves that an entity is back',
    { breaks: ['whatIsGoneIsNotRestored'], firstSeed: 5089858 },
    inside('changes/missing/is-back-too-early.ts isBackTooEarly', {
      first:
        'if (state && isAfter(arguments[0].version, laterOf(state.version, state.sequence))) return false;',
    }),
  ),
  sabotage(
    'a digest of what is at the cursor hides that items are back',
    { breaks: [LATEST], firstSeed: 4947 },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'run.registry.commit',
      becomes: 'Promise.resolve()',
    }),
  ),
  sabotage(
    'a list proves itself by the first entity that it shows, valid or not',
    { breaks: ['aWholeReconciliationHealsWhatWasLost'], firstSeed: 25 },
    inside('run/long-commands/ask-missing.ts MissingEntities.#proveList', {
      first: 'this.#read = { ...this.#read, validId: [...this.#read.shown].map(idIn)[0] };',
    }),
  ),
  sabotage(
    'what a list does not show is taken for gone',
    { breaks: ['noEntityIsDeletedThatTheServiceHas'], firstSeed: 5 },
    inside('run/long-commands/ask-missing.ts MissingEntities.ask', {
      call: 'this.#askFor',
      becomes: `Promise.resolve('missing')`,
    }),
  ),
  sabotage(
    'a reconciliation passes over what lies before the cursor',
    { breaks: ['aWholeReconciliationHealsWhatWasLost', LATEST], firstSeed: 23 },
    inside('run/long-commands/read-window.ts readFrom', { body: 'return feed;' }),
  ),
  sabotage(
    'nobody is told of what is gone',
    { breaks: ['aWholeReconciliationHealsWhatWasLost'], firstSeed: 38 },
    inside('run/long-commands/ask-missing.ts MissingEntities.#tellGone', { body: '' }),
  ),
  sabotage(
    'nobody knows when it was gone, where the service sends no Date',
    { breaks: ['anEntitysSequenceNeverStepsBackAmongFirstDeliveries'], firstSeed: 97009841 },
    inside('run/long-commands/ask-missing.ts MissingEntities.#tellGone', {
      call: 'detectMissing',
      becomes: `detectMissing([...states.values()], {
        ...{ feed, resource, goneBy: this.#read.readAt },
        toEvent: eventMakerOf(feed, 'reconcile', run),
      })`,
    }),
  ),
  sabotage(
    'what changed below an entity that is back is passed over',
    { breaks: [LATEST], firstSeed: 1048 },
    inside('changes/missing/is-stale.ts isStale', {
      body: 'return compareTimestamps(observed.version, state.version) < 0;',
    }),
  ),
  sabotage(
    'the own state of a project that is forgotten stays',
    { breaks: [LATEST], firstSeed: 27 },
    inside('feeds/apply-commands.ts forgetProject', {
      call: 'store.deleteStates',
      becomes: 'Promise.resolve()',
    }),
  ),
  sabotage(
    'the list of an entity that is tried again is not read again',
    { breaks: ['everyInvalidEntityIsQuarantined'], firstSeed: 1302 },
    inside('feeds/apply-commands.ts reread', {
      call: 'registry.commit',
      becomes: 'Promise.resolve()',
    }),
  ),
  sabotage(
    'a replay ends with the first part of a list',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'], firstSeed: 1018 },
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
    { breaks: ['aReplayTellsTheLatestStateOfTheTimeAndListsThatWereOrdered'], firstSeed: 85 },
    inside('run/long-commands/replay.ts replayStates', {
      first: "command = { ...command, since: '2000-01-01T00:00:00Z' };",
    }),
  ),
  sabotage(
    'an event that is refused again is dropped',
    { breaks: ['anEventThatIsTriedAgainIsToldOrKept'], firstSeed: 336 },
    inside('run/long-commands/retell.ts publish', { result: '(await result, [])' }),
  ),
  sabotage(
    'a command is deleted before its steps are done',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'], firstSeed: 343 },
    inside('run/long-commands/work-on-commands.ts workOn', {
      first: 'await context.run.ports.store.deleteCommands([placed]);',
    }),
  ),
];
