import type { Change, Edit } from './apply-edit.ts';
import type { Sabotage } from './sabotage.ts';

const LATEST = 'everyEntitysLatestStateWasPublished';
const LEAK = 'nothingOfTheBaselineLeaks';
const DELAYED = 'anOutageOfTheServiceDelaysNoListLongerThanItself';
const SILENT = 'nothingElseIsLearnedInSilence';

/** @param anchor a file below `functions/core`, and a function in it. */
function inside(anchor: string, change: Change): Edit {
  const [file = '', name = ''] = anchor.split(' ');
  return { file, in: name, ...change };
}

function sabotage(
  name: string,
  expected: Pick<Sabotage, 'breaks' | 'firstSeed'>,
  ...edits: readonly Edit[]
): Sabotage {
  return { name, ...expected, edits };
}

/** Faults that the simulation must find. */
export const SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the cursor is committed before the page is published',
    { breaks: [LATEST] },
    inside('run/commit/commit-page.ts commitPage', {
      call: 'publishAndSave',
      becomes: `(async () => {
        const early = { ...feedPage, isNews: changes.isNews };
        const now = run.ports.clock.now();
        await run.registry.commit(feed.id, (current) => afterPage(current, early, now));
        await publishAndSave(changes, origin, run);
      })()`,
    }),
  ),
  sabotage(
    'every list backs off for an outage of the whole service',
    { breaks: [DELAYED], firstSeed: 26 },
    inside('run/breaker.ts Breaker.isDoubtful', { body: 'return false;' }),
  ),
  sabotage(
    'the next run knows nothing of an outage',
    { breaks: [DELAYED], firstSeed: 3296 },
    inside('run/breaker.ts Breaker.handover', { body: 'return {};' }),
  ),
  sabotage(
    'one list that is limited pauses all others for ever',
    { breaks: ['aListIsPolledWhenItIsDueWhateverOthersDo'], firstSeed: 140 },
    inside('schedule/limited-lists.ts LimitedLists.limited', { body: '' }),
  ),
  sabotage(
    'a list that fails slowly keeps an outage open',
    { breaks: ['aListIsPolledWhenItIsDueWhateverOthersDo'], firstSeed: 222 },
    inside('run/breaker.ts Breaker.canaries', { result: 'result.flat().map((feed) => [feed])' }),
  ),
  sabotage(
    'lists that are refused never end an outage',
    { breaks: ['aListIsPolledWhenItIsDueWhateverOthersDo'], firstSeed: 39 },
    inside('run/breaker.ts Breaker.canaries', {
      first: 'feeds = feeds.filter(({ parked }) => parked === undefined);',
    }),
  ),
  sabotage(
    'the wait that a clock ahead began is kept',
    { breaks: [LATEST], firstSeed: 252 },
    inside('feeds/feed-lifecycle.ts withLegalWait', { body: 'return feed;' }),
  ),
  sabotage(
    'the outage that a clock ahead saw is believed',
    { breaks: [LATEST], firstSeed: 316 },
    inside('run/handover.ts decodeHandover', { body: 'return parse(note);' }),
  ),
  sabotage(
    'the lookback is removed',
    { breaks: [LATEST, 'everyInvalidEntityIsQuarantined'], firstSeed: 257 },
    inside('paging/watermark.ts Watermark.constructor', { body: 'this.#lookbackMs = 0;' }),
  ),
  sabotage(
    'ties are not handled',
    { breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'], firstSeed: 20 },
    inside('paging/paginator.ts Paginator.#fetchNext', { first: 'this.#tieCheck = undefined;' }),
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'shiftNanoseconds',
      argument: '-this.#unit',
      becomes: 'end',
    }),
  ),
  sabotage(
    'one page that repeats an entity speaks for all',
    { breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'], firstSeed: 417 },
    inside('paging/paginator.ts Paginator.#fetchNext', {
      first: `
      if (this.isInclusive) this.#tieCheck = undefined;
      this.isInclusive ||= this.#tieCheck !== undefined;`,
    }),
  ),
  sabotage(
    'any entity of the time proves that no tie was hidden',
    { breaks: [LATEST], firstSeed: 201 },
    inside('paging/paginator.ts versionOf', { body: 'return updated_at;' }),
  ),
  sabotage(
    'a saturated timestamp is passed by a whole millisecond',
    { breaks: [LATEST, 'inTheEndARunIsWhole'], firstSeed: 1565 },
    inside('paging/time-unit.ts startsBehind', {
      body: 'return [0, 1e6].map((step) => shiftNanoseconds(time, step));',
    }),
  ),
  sabotage(
    'a Date is believed however far ahead it is',
    { breaks: [LATEST], firstSeed: 2284 },
    inside('paging/service-time.ts ServiceTime.date', {
      first: 'return readAfter === undefined ? page : { ...page, readAfter };',
    }),
  ),
  sabotage(
    'without a Date no entity lies in the future',
    { breaks: [LATEST], firstSeed: 1219 },
    inside('paging/service-time.ts ServiceTime.isFuture', {
      body: 'return readAfter !== undefined && isAfter(time, readAfter);',
    }),
  ),
  sabotage(
    'pages that are too slow are never smaller',
    { breaks: [LATEST, 'inTheEndARunIsWhole'], firstSeed: 197 },
    inside('paging/page-limit.ts PageLimit.shrink', { body: '' }),
    inside('paging/page-limit.ts PageLimit.constructor', {
      body: 'this.#perPage = perPage; this.#entities = Infinity;',
    }),
  ),
  sabotage(
    'an outage forgets that pages were too slow',
    { breaks: [LATEST, 'inTheEndARunIsWhole'], firstSeed: 28 },
    inside('run/back-off.ts dropHeld', { body: 'run.breaker.takeHeld(); return [];' }),
  ),
  sabotage(
    'ten empty pages are a loop',
    { breaks: ['noListThatGoesOnIsTakenForALoop'] },
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'this.#context.serviceTime.isFuture',
      becomes: 'true',
    }),
  ),
  sabotage(
    'a feed is called caught up too early',
    { breaks: [LATEST], firstSeed: 269 },
    inside('paging/watermark.ts Watermark.observe', {
      call: 'shiftTimestamp',
      argument: 'readAfter',
      becomes: 'readAfter',
    }),
  ),
  sabotage(
    'the entity state is saved before its event is published',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'] },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      first: 'await save(origin.feed, changes.states.own, run);',
    }),
  ),
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
    'a parked feed never returns',
    { breaks: [LATEST], firstSeed: 51 },
    inside('feeds/feed-lifecycle.ts afterRefusal', {
      result: 'result.parked ? { ...result, notBefore: 8e15 } : result',
    }),
    inside('feeds/feed-lifecycle.ts withLegalWait', { body: 'return feed;' }),
  ),
  sabotage(
    'a page is compared before the page ahead of it is saved',
    { breaks: ['everyEventTellsAChangeThatHappened'], firstSeed: 799 },
    inside('run/poll-feed.ts pollFeed', {
      first: `
      const { detectPageChanges } = await import('./commit/commit-page.ts');
      const compareEarly = (paginator) => {
        const next = paginator.next.bind(paginator);
        paginator.next = async (...given) => {
          const page = await next(...given);
          const { run } = context;
          const changes = [];
          const parts = detectPageChanges(page, run.registry.get(id), resource, run);
          for await (const part of parts) changes.push(part);
          return { ...page, changes };
        };
        return paginator;
      };`,
    }),
    inside('run/poll-feed.ts pollFeed', {
      call: 'readAhead',
      becomes: 'readAhead(compareEarly(paginator), signal, limit)',
    }),
    inside('run/commit/commit-page.ts commitPage', {
      call: 'detectPageChanges',
      becomes: 'feedPage.changes',
    }),
  ),
  sabotage(
    'an item is published without being in the outbox',
    { breaks: [LATEST], firstSeed: 1031 },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'save',
      argument: 'items',
      becomes: 'undefined',
    }),
  ),
  sabotage(
    'only the first items of a checklist are compared',
    { breaks: [LATEST], firstSeed: 78 },
    inside('changes/nested-changes.ts keysToCompare', { result: 'result.slice(0, 2)' }),
  ),
  sabotage(
    'a checklist looks as before while its items are in the outbox',
    { breaks: [LATEST], firstSeed: 184 },
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
    'a header that runs ahead is believed',
    { breaks: [LATEST], firstSeed: 7 },
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'earlierOf',
      becomes: '(header ?? largest)',
    }),
  ),
  sabotage(
    'a run goes on without its lease',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 2092 },
    inside('run/run.ts openRun', {
      call: 'fencePorts',
      becomes:
        'fencePorts(unfenced, { ...lease.guard, assertHeld: () => undefined }, stopping.signal)',
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
    'a baseline never ends',
    { breaks: [SILENT, LATEST], firstSeed: 5 },
    inside('feeds/feed-lifecycle.ts afterPage', { result: '({ ...result, phase: feed.phase })' }),
  ),
  sabotage(
    'a baseline ends after its first page',
    { breaks: [LEAK] },
    inside('feeds/feed-lifecycle.ts afterPage', { result: "({ ...result, phase: 'live' })" }),
  ),
  sabotage(
    'a later project has a baseline',
    { breaks: [SILENT, LATEST], firstSeed: 5 },
    inside('feeds/place-orders.ts birthOf', { result: "({ phase: 'baseline' })" }),
  ),
  sabotage(
    'a first project has no baseline',
    { breaks: [LEAK] },
    inside('feeds/place-orders.ts birthOf', { result: "({ phase: 'live' })" }),
  ),
  sabotage(
    'a silent baseline is not silent',
    { breaks: [LEAK] },
    inside('feeds/load-shard.ts openRegistry', {
      first: "options = { ...options, baseline: 'emit' };",
    }),
  ),
  sabotage(
    'a baseline that is to emit is silent',
    { breaks: [SILENT, LATEST], firstSeed: 6 },
    inside('feeds/load-shard.ts openRegistry', {
      first: "options = { ...options, baseline: 'silent' };",
    }),
  ),
  sabotage(
    'invalid entities are quarantined after their page is published',
    { breaks: ['anEventIsRepeatedOnlyAfterAFault'], firstSeed: 94 },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'quarantineEntities',
      becomes: 'Promise.resolve()',
    }),
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'publish',
      becomes: `publish(changes.changes, run).then(async (refused) => {
        await quarantineEntities(changes.invalid, origin, run);
        return refused;
      })`,
    }),
  ),
  sabotage(
    'a page that cannot be published is published on every tick',
    { breaks: ['anEventIsRepeatedOnlyAfterAFault'], firstSeed: 56 },
    inside('feeds/feed-lifecycle.ts afterUncommittedPage', {
      result: '({ ...result, notBefore: feed.notBefore })',
    }),
  ),
  sabotage(
    'the end of an outage of the service repeats a page that waits for the topic',
    { breaks: ['anEventIsRepeatedOnlyAfterAFault'], firstSeed: 66 },
    inside('feeds/feed-lifecycle.ts afterOutage', {
      first: `
      const { hasUncommittedPage, ...other } = feed;
      if (hasUncommittedPage) return afterOutage(other, endedAt);`,
    }),
  ),
  sabotage(
    'a feed is taken for silent from a view that is behind',
    { breaks: [LATEST, SILENT], firstSeed: 1959 },
    inside('feeds/load-shard.ts loadShard', { call: 'view.feeds.every', becomes: 'true' }),
  ),
  sabotage(
    'an item that a copy which lags does not show is deleted',
    { breaks: ['everyEventTellsAChangeThatHappened'], firstSeed: 4457 },
    inside('changes/list-changes.ts mayBeOutdated', { body: 'return false;' }),
  ),
  sabotage(
    'a paused list is polled',
    { breaks: ['aPausedListIsNotPolled'], firstSeed: 14 },
    inside('feeds/apply-commands.ts afterCommand', {
      first: "if (command.name === 'pause') return feed;",
    }),
  ),
  sabotage(
    'a list that is resumed is not polled',
    { breaks: [LATEST], firstSeed: 81 },
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
    'what changes while a baseline is under way stays silent',
    { breaks: [SILENT, LATEST], firstSeed: 13 },
    inside('feeds/feed-lifecycle.ts silentUntilOf', { body: 'return {};' }),
  ),
  sabotage(
    'the content of a project that was deleted before the first run leaks',
    { breaks: [LEAK], firstSeed: 176 },
    inside('feeds/place-orders.ts birthOf', { result: "({ ...result, phase: 'live' })" }),
  ),
  sabotage(
    'the content of a project that was deleted before the first run stays silent',
    { breaks: [SILENT, LATEST], firstSeed: 168 },
    inside('model/feed.ts isSilent', { body: "return phase === 'baseline';" }),
  ),
  sabotage(
    'an entity nested too deeply is processed',
    {
      breaks: ['aRunFailsOnlyByAnInjectedFault', 'everyInvalidEntityIsQuarantined'],
      firstSeed: 45,
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
    'an answer without a Date is dated by one that came before it',
    { breaks: [LATEST], firstSeed: 498 },
    inside('paging/service-time.ts ServiceTime.date', { first: 'lastDate = this.lastDate;' }),
  ),
  sabotage(
    'a run does not know the last Date of the one before',
    { breaks: [LATEST], firstSeed: 104 },
    inside('paging/service-time.ts ServiceTime.constructor', { body: 'this.#clock = clock;' }),
  ),
  sabotage(
    'an event whose content is lost is repeated without it',
    {
      breaks: ['oneChangeHasOneIdAndOneContent', 'everyEventTellsAChangeThatHappened'],
      firstSeed: 863,
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
    { breaks: ['anInvalidEntityIsQuarantinedOnce'], firstSeed: 6 },
    inside('changes/invalid-entity.ts notYetKept', { body: 'return deduplicate(invalid);' }),
  ),
  sabotage(
    'an order is deleted before it is carried out',
    { breaks: [LATEST], firstSeed: 7191 },
    inside('run/run.ts openRun', {
      call: 'syncProjects',
      becomes: `store
        .deleteOrders(shard.orders)
        .then(() => syncProjects(shard.orders, catalog, registry, times))`,
    }),
  ),
  sabotage(
    'the state of a project is saved before its order',
    { breaks: [LATEST], firstSeed: 6 },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      first: `
      if (origin.feed.projectId === undefined) await save(origin.feed, changes.states.own, run);`,
    }),
  ),
  sabotage(
    'an order that replaces another one decides how the feeds begin',
    { breaks: [LEAK, LATEST], firstSeed: 27 },
    inside('feeds/place-orders.ts orderFor', {
      result:
        '({ ...result, version: project.entity.updated_at, birth: { phase: projectsFeed.phase } })',
    }),
  ),
  sabotage(
    'a run takes the lease of another generation',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 7 },
    inside('lease/shard-layout.ts joinLayout', {
      first: 'return { generation: place.shardCount, shardCount: place.shardCount };',
    }),
  ),
  sabotage(
    'the next generation does not wait for leases of the old one',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 9 },
    inside('lease/shard-layout.ts changeLayout', { call: 'ended.includes', becomes: 'false' }),
  ),
  sabotage(
    'a floorplan does not name its current sheet',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'], firstSeed: 5 },
    inside('model/resource-catalog.ts idOf', { body: 'return [];' }),
  ),
  sabotage(
    'a restored entity keeps its end',
    { breaks: ['everyEventHasTheRightActionFieldsAndOldValues', LATEST], firstSeed: 20 },
    inside('feeds/retention.ts withRetention', {
      result: `({
        ...result,
        saveStates: (feedId, states) => {
          const end = clock.now() + retentionMs;
          return store.saveStates(feedId, states.map((state) => ({ ...state, expiresAt: end })));
        },
      })`,
    }),
  ),
  sabotage(
    'an entity that is forgotten is known as long as the table has it',
    { breaks: ['everyEventHasTheRightActionFieldsAndOldValues'], firstSeed: 49 },
    inside('feeds/retention.ts withRetention', {
      result: '({ ...result, loadStates: store.loadStates })',
    }),
  ),
  sabotage(
    'the content of a project that is forgotten stays',
    { breaks: [LATEST], firstSeed: 1502 },
    inside('feeds/forget-projects.ts removeForgotten', { body: '' }),
  ),
  sabotage(
    'what an order of a forgotten project began is forgotten with it',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 54 },
    inside('feeds/sync-projects.ts syncProjects', {
      call: 'removeForgotten',
      becomes: "removeForgotten(projectId, registry, '9999-01-01T00:00:00.000Z')",
    }),
  ),
  sabotage(
    'the lists of a lost project are forgotten although they change',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 319 },
    inside('feeds/feed-lifecycle.ts afterPage', {
      result: '({ ...result, ...(feed.deletedSince && { deletedSince: feed.deletedSince }) })',
    }),
  ),
  sabotage(
    'an entity that is back after it was forgotten has its old sequence',
    { breaks: ['anEntitysSequenceNeverStepsBackAmongFirstDeliveries', LATEST], firstSeed: 1029 },
    inside('changes/detect-changes.ts detectOwnChanges', {
      call: 'afterForgotten',
      becomes: 'shown',
    }),
  ),
  sabotage(
    'a healed list passes over what it showed before',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'], firstSeed: 1029 },
    inside('run/long-commands/heal.ts heal', {
      call: 'run.registry.commit',
      becomes: 'Promise.resolve()',
    }),
  ),
  sabotage(
    'a project that is too large to keep has no name',
    { breaks: [LATEST], firstSeed: 12 },
    inside('feeds/load-shard.ts nameFeeds', {
      first: 'store = { ...store, loadStates: async () => new Map() };',
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
    'a reconciliation reads a slow list with large pages for ever',
    {
      breaks: ['asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'],
      firstSeed: 90009571,
    },
    inside('run/long-commands/reconcile.ts Reconciliation.#afterSlow', { body: 'return {};' }),
  ),
  sabotage(
    'what a list does not show is taken for gone',
    { breaks: ['noEntityIsDeletedThatTheServiceHas'], firstSeed: 5 },
    inside('run/long-commands/ask-missing.ts MissingEntities.ask', {
      call: 'this.#askFor',
      becomes: `Promise.resolve({ verdict: 'missing' })`,
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
    'what is gone is back as soon as a copy that lags shows it',
    { breaks: ['whatIsGoneIsNotRestored'], firstSeed: 100039253 },
    inside('changes/missing/is-back-too-early.ts isBackTooEarly', { body: 'return false;' }),
  ),
  sabotage(
    'what is gone is back at once while its delete is in the outbox',
    { breaks: ['whatIsGoneIsNotRestored'], firstSeed: 100039253 },
    inside('changes/missing/is-back-too-early.ts isBackTooEarly', {
      call: 'laterOf',
      becomes: 'state.version',
    }),
  ),
  sabotage(
    'nobody knows when it was gone, where the service sends no Date',
    { breaks: ['anEntitysSequenceNeverStepsBackAmongFirstDeliveries'], firstSeed: 97009841 },
    inside('run/long-commands/ask-missing.ts MissingEntities.#tellGone', {
      call: 'detectMissing',
      becomes: `detectMissing([...states.values()], {
        ...{ feed, resource, readAt: this.#read.readAt },
        toEvent: eventMakerOf(feed, 'reconcile', run),
      })`,
    }),
  ),
  sabotage(
    'what is gone is back at once, where the service sends no Date',
    { breaks: ['whatIsGoneIsNotRestored'], firstSeed: 97016078 },
    inside('changes/missing/is-back-too-early.ts isBackTooEarly', {
      first: 'requestedAt = undefined;',
    }),
  ),
  sabotage(
    'what is back is told before its delete',
    { breaks: ['everyEventHasTheRightActionFieldsAndOldValues'], firstSeed: 150002445 },
    inside('changes/detect-changes.ts detectOwnChanges', { call: 'isPending', becomes: 'false' }),
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
    { breaks: [LATEST], firstSeed: 11 },
    inside('feeds/apply-commands.ts forgetProject', {
      call: 'store.deleteStates',
      becomes: 'Promise.resolve()',
    }),
  ),
  sabotage(
    'the list of an entity that is tried again is not read again',
    { breaks: ['everyInvalidEntityIsQuarantined'], firstSeed: 238 },
    inside('feeds/apply-commands.ts reread', {
      call: 'registry.commit',
      becomes: 'Promise.resolve()',
    }),
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
  sabotage(
    'a replay ends with the first part of a list',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'], firstSeed: 1018 },
    inside('run/long-commands/replay.ts replayPart', {
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
    'a command is deleted before its steps are done',
    { breaks: ['aReplayThatIsCarriedOutOmitsNothing'], firstSeed: 343 },
    inside('run/long-commands/work-on-commands.ts workOn', {
      first: 'await context.run.ports.store.deleteCommands([placed]);',
    }),
  ),
  sabotage(
    'commands that go on wait until nothing is polled',
    { breaks: ['everyReplayIsCarriedOutInTheEnd'], firstSeed: 11 },
    inside('run/run.ts continueCommands', {
      first: 'if (context.summary.polled > 0) return [];',
    }),
  ),
];
