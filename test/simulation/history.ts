import fc from 'fast-check';

type Made<A> = A extends fc.Arbitrary<infer Value> ? Readonly<Value> : never;

/** The behaviour of the service where the spec leaves it open. */
const serviceTraits = fc.record({
  /** How `last_synced_at` filters. */
  filter: fc.constantFrom('>', '>='),
  /** Order of entities with equal timestamps. */
  tieOrder: fc.constantFrom('by id', 'by id, backwards', 'another on every read'),
  /** `X-Last-Synced-At` of a page with entities. */
  cursorHeader: mostly('last item', 'absent', 'behind', 'ahead'),
  /** `X-Last-Synced-At` of a page without. */
  emptyPageCursor: fc.constantFrom('echo', 'now', 'absent'),
  /** Whether answers have a `Date`, and the right one. */
  dates: mostly('always', 'never', 'missing', 'jumping', 'jittering'),
  /** How far the service's clock is ahead of ours, in milliseconds. */
  skewMs: oneOf(0, -420_000, 420_000),
  /** `updated_at` is rounded down to a multiple of this, in milliseconds. */
  roundMs: oneOf(1, 100, 5_000),
  /** Whether two versions of an entity may share one `updated_at`. */
  sharesVersions: fc.boolean(),
  /** Whether changes of an item move the `updated_at` of its checklist. */
  itemsMoveChecklist: fc.boolean(),
  /** Maximum age of the copy that answers a request, in milliseconds. */
  lagMs: oneOf(0, 3_000, 9_000),
  /** Pages show their first entity twice. */
  repeats: fc.integer({ min: 0, max: 7 }).map((n) => n === 7),
  /** Maximum entities on a page. */
  largestPage: oneOf(1_000, 6),
  /** Lists below a deleted project. */
  deletedProjectLists: fc.constantFrom('answer', 'not_found'),
  /** Deleted items in the list of their checklist. */
  deletedItems: fc.constantFrom('marked', 'left_out'),
  /** Lists of a project without permission. */
  lostPermission: fc.constantFrom('refused', 'empty'),
  /** How `updated_at` shows a time that is stored finer. The filter goes by what is stored. */
  shown: mostly('as stored', 'truncated', 'rounded'),
  /** Unit of what is shown then, in milliseconds. */
  shownMs: oneOf(1, 1, 1_000),
  /** Every third row is stored as shown, whatever the others are. */
  storesMixed: fc.boolean(),
  /** Projects of others, which fill pages of the list and are not shown. */
  strangers: oneOf(0, 0, 0, 60),
  /** Pages with more entities take longer than an attempt may. */
  slowAbove: oneOf(1_000, 1_000, 1_000, 9),
});
export type ServiceTraits = Made<typeof serviceTraits>;

/** The setup of the notifier. */
const notifierTraits = fc.record({
  perPage: fc.integer({ min: 2, max: 5 }),
  lookbackMs: oneOf(10_000, 60_000),
  concurrency: fc.integer({ min: 1, max: 3 }),
  pagesPerTurn: oneOf(1, 2, 20),
  baseline: mostly('silent', 'emit'),
  /** A run is killed after this time. */
  timeLimitMs: oneOf(55_000, 13_000, 300_000),
  /** Floorplans come with their current sheet. */
  sheets: fc.boolean(),
});

/** Limits of a run. */
const limits = fc.record({
  /** Maximum requests of a run until the service is calm. */
  requestsPerRun: oneOf(1_000, 1_000, 12, 4),
  /** Maximum age of the feeds that a run loads, in milliseconds. */
  staleMs: oneOf(0, 0, 2_000, 90_000),
  /** Refuses every call until the service is calm; a topic after it has accepted some events. */
  outage: fc.constantFrom('none', 'none', 'none', 'none', 'topic', 'quarantine'),
});
export type Limits = Made<typeof limits>;

/**
 * `die`: the process ends there. `fail`: the call rejects. `slow`: it takes seconds. `refuse`: the topic
 * will never accept one of the events. `half`: a part of a batch had its effect.
 */
const how = fc.constantFrom(
  'die before',
  'die half',
  'die after',
  'fail before',
  'fail half',
  'fail after',
  'slow',
  'refuse',
);

/** A fault in one call of a run, weighted by the calls that most runs make. */
const fault = fc.oneof(
  { weight: 3, arbitrary: faultOf('store', 40) },
  { weight: 3, arbitrary: faultOf('topic', 3) },
  { weight: 2, arbitrary: faultOf('api', 10) },
  { weight: 1, arbitrary: faultOf('quarantine', 1) },
);
export type Fault = Made<typeof fault>;

/** `call` is the number of the call to that port in the run, from 0. */
function faultOf<const Port extends string>(port: Port, lastCall: number) {
  return fc.record({ port: fc.constant(port), call: fc.nat({ max: lastCall }), how });
}

/** Changes at the service. */
const change = fc.constantFrom(
  ...changesOf('project', 'create', 'touch', 'rename', 'delete', 'restore', 'revoke', 'grant'),
  ...changesOf('floorplan', 'create', 'rename', 'touch', 'delete', 'restore'),
  ...changesOf('sheet', 'replace', 'return', 'remove'),
  'import floorplans',
  'date floorplan in the future',
  'break floorplan',
  ...changesOf('checklist', 'rename', 'touch'),
  ...changesOf('checklist', 'create', 'rename', 'delete', 'restore'),
  ...changesOf('item', 'add', 'remove', 'hide', 'show'),
  ...changesOf('item', 'add', 'rename', 'remove', 'restore', 'hide', 'show'),
);
export type ChangeKind = Made<typeof change>;

function changesOf<const Noun extends string, const Verb extends string>(
  noun: Noun,
  ...verbs: readonly Verb[]
) {
  return verbs.map((verb) => `${verb} ${noun}` as const);
}

const act = fc.oneof(
  {
    weight: 6,
    // A run starts, whether another one is active or not.
    arbitrary: fc.record({
      kind: fc.constant('tick'),
      faults: fc.array(fault, { maxLength: 2 }),
      /** Another run starts this much later, if not 0: both may see copies of a different age. */
      againAfterMs: oneOf(0, 2_000),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('change'),
      what: change,
      /** Index of the entity, modulo their number. */
      which: fc.nat({ max: 5 }),
      /** How late it is committed: 0 at once, 1 as late as the lookback allows. */
      late: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: 10 }).map((n) => n / 10),
      ),
    }),
  },
  // All active runs die.
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' }) },
  {
    weight: 1,
    // All active runs pause, and then continue.
    arbitrary: fc.record({
      kind: fc.constant('freeze'),
      ms: oneOf(3_000, 25_000, 70_000),
    }),
  },
);
/** Something that happens. */
export type Act = Made<typeof act>;

/** An act and the time since the previous one. */
const step = fc.record({
  afterMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 3, arbitrary: fc.integer({ min: 1_000, max: 15_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 30_000, max: 90_000 }) },
    { weight: 1, arbitrary: oneOf(600_000, 3_700_000) },
  ),
  act,
});
export type Step = Made<typeof step>;

/** A time in which the whole service fails, with a tick in each minute. */
const outage = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** Answers to all requests: 503, 404 or 429. `flaps`: half of them are 503. */
  how: fc.constantFrom('is down', 'refuses', 'limits requests', 'flaps'),
  minutes: oneOf(1, 2, 5, 20, 90),
});
export type Outage = Made<typeof outage>;

/** An item is added, the run that tells it dies, and the item is gone before the next run. */
const lostItem = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** Index of the checklist, modulo their number. */
  which: fc.nat({ max: 5 }),
  /** The call of the topic after which the run dies. */
  call: fc.nat({ max: 2 }),
});
export type LostItem = Made<typeof lostItem>;

/** Shortly before a late commit is seen, its list answers without a `Date`, and after other lists. */
const lateAnswer = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** Index of the project, modulo their number. */
  which: fc.nat({ max: 5 }),
  /** How long before the commit is seen, in milliseconds. */
  beforeMs: fc.nat({ max: 4_000 }),
});
export type LateAnswer = Made<typeof lateAnswer>;
/**
 * A time in which lists fail apart from each other, with a tick in each minute: the lists below projects are
 * refused; then no list is read; then the list of projects fails alone.
 */
const splitOutage = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  refusedMinutes: oneOf(2, 20),
  allMinutes: oneOf(0, 5),
  aloneMinutes: oneOf(5, 40),
});
export type SplitOutage = Made<typeof splitOutage>;

/** A host whose clock is hours ahead. Runs on it are alone: leases are for clocks that agree. */
const fastHost = fc.record({
  /** One of its runs starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** Another one at this minute of each outage; `end`: the first after it. */
  atMinute: fc.constantFrom(0, 1, 'end'),
  /** Its runs are killed after this time. */
  killedAfterMs: oneOf(500, 2_000, 60_000),
});
export type FastHost = Made<typeof fastHost>;

/** A time in which the table throttles calls: it processes nothing of them. */
const throttling = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  ms: oneOf(500, 5_000, 20_000, 300_000),
  /** Share of the calls. */
  share: fc.constantFrom(0.3, 0.8, 1),
});
export type Throttling = Made<typeof throttling>;

/** Runs whose first answers have no `Date`, while a list shows an entity dated less than a day ahead. */
const undatedStarts = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** Index of the project, modulo their number. */
  which: fc.nat({ max: 5 }),
  /** Answers without a `Date`, of each run. */
  answers: oneOf(1, 3, 1_000),
  /** Runs that start so, with a change before each. */
  runs: oneOf(1, 3),
});
export type UndatedStarts = Made<typeof undatedStarts>;

/** A time in which one list is answered with 429, with a tick in each minute. */
const limitedList = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** Index of the list, modulo their number. */
  which: fc.nat({ max: 8 }),
  retryAfterMinutes: oneOf(2, 10),
});
export type LimitedList = Made<typeof limitedList>;

/** A change of the number of shards. The pollers of two deployments are started side by side meanwhile. */
const deployment = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  shardCount: oneOf(1, 2, 4),
  /** Ticks until shard 0 is deployed: other new shards are started before it. */
  ticksBefore: fc.nat({ max: 2 }),
  /** Ticks until those of the old deployment are removed. */
  ticksAfter: fc.nat({ max: 3 }),
});
export type Deployment = Made<typeof deployment>;

/** Times that pass, in which everything that was deleted before them is forgotten. */
const retention = fc.record({
  hours: oneOf(2, 3),
  /** They begin before these steps, modulo their number. */
  beforeSteps: fc.array(fc.nat({ max: 49 }), { minLength: 1, maxLength: 3 }),
  /** Whether runs go on meanwhile. */
  hasTicks: fc.boolean(),
  /** When the table deletes what has expired. */
  deletes: fc.constantFrom('early', 'never'),
});
export type Retention = Made<typeof retention>;

/** What an operator orders. */
const order = fc.record({
  /** Placed before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  name: fc.constantFrom('pause', 'resume', 'retry', 'rewind'),
  scope: fc.constantFrom('list', 'project', 'resource', 'all'),
  /** Index of the list, modulo their number. */
  which: fc.nat({ max: 8 }),
  /** A list is rewound to the time so long ago. */
  minutesBack: oneOf(0, 1, 20, 200),
});
export type Order = Made<typeof order>;

/** Something that goes without a trace, a list that hides what is there, or a reconciliation. */
const loss = fc.record({
  /** Before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  /** `lose`: from the table. `empty`, `thin`: a list shows nothing or every second entity, until `show`. */
  what: fc.constantFrom(
    ...changesOf('floorplan', 'destroy', 'lose'),
    ...changesOf('checklist', 'destroy', 'lose'),
    ...changesOf('list', 'empty', 'thin', 'show'),
    'reconcile',
    'reconcile by force',
  ),
  /** Index of the entity or list, modulo their number. */
  which: fc.nat({ max: 8 }),
});
export type Loss = Made<typeof loss>;

/** An operator has a project forgotten, or lists read again for what is in the quarantine. */
const repair = fc.record({
  beforeStep: fc.nat({ max: 49 }),
  name: fc.constantFrom('forget', 'reread'),
  /** Index of the project, modulo their number. */
  which: fc.nat({ max: 3 }),
});
export type Repair = Made<typeof repair>;

/** An operator orders what was told to be told again. */
const replay = fc.record({
  /** Placed before this step, modulo their number. */
  beforeStep: fc.nat({ max: 49 }),
  scope: fc.constantFrom('list', 'project', 'resource', 'all', 'all'),
  /** Index of the list, modulo their number. */
  which: fc.nat({ max: 8 }),
  /** The time begins so long ago. */
  minutesBack: oneOf(1, 20, 200, 3_000),
  minutes: oneOf(2, 20, 4_000),
});
export type Replay = Made<typeof replay>;

/** Any history: everything that determines a simulation. */
export const histories = fc.record({
  service: serviceTraits,
  notifier: notifierTraits,
  /** Initial number of projects, and of floorplans and checklists in each. */
  projects: fc.integer({ min: 1, max: 2 }),
  floorplans: fc.nat({ max: 5 }),
  checklists: oneOf(0, 1, 2, 2),
  steps: fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
  /** Seed of the duration of calls and of the halves of batches. */
  luck: fc.nat(),
  limits,
  outages: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(outage, { minLength: 1, maxLength: 2 }) },
  ),
  // Later dimensions follow here: seeds keep what was drawn before them.
  /** Each version of a checklist, or every second, shows an invalid item until the service is calm; 0: none. */
  invalidItems: oneOf(0, 0, 0, 1, 2),
  lostItems: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(lostItem, { minLength: 1, maxLength: 2 }) },
  ),
  lateAnswers: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(lateAnswer, { minLength: 1, maxLength: 2 }) },
  ),
  // Drawn after all others, so that a seed keeps its history.
  splitOutage: rarely(splitOutage),
  fastHost: rarely(fastHost),
  throttling: rarely(throttling),
  /** The list of projects is so slow that its first poll fails: three halvings of its page are too few. */
  slowStart: rarelyTrue(),
  /** In an outage in which the service is down it answers nothing in time. */
  hangs: fc.boolean(),
  /** In a split outage the list of projects fails so late that a run has no time left. */
  failsSlowly: fc.boolean(),
  undatedStarts: rarely(undatedStarts),
  /** Nested items that are loaded, published and saved at once. */
  groupSize: oneOf(200, 200, 1, 2),
  limitedList: rarely(limitedList),
  /** The largest entity state that the table keeps whole. */
  maxItemBytes: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: oneOf(260, 340, 420) },
  ),
  /** Deployments with other numbers of shards; before the first there is one shard. */
  deployments: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(deployment, { minLength: 1, maxLength: 4 }) },
  ),
  retention: rarely(retention),
  /** `X-Last-Synced-At` of each last page: a time without meaning. */
  lastPageCursor: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '0001-01-01T00:00:00.000Z',
        '9999-12-31T23:59:59.999Z',
        '2016-12-31T23:59:60.000Z',
      ),
    },
  ),
  orders: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(order, { minLength: 1, maxLength: 6 }) },
  ),
  losses: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(loss, { minLength: 1, maxLength: 12 }) },
  ),
  repairs: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(repair, { minLength: 1, maxLength: 4 }) },
  ),
  replays: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(replay, { minLength: 1, maxLength: 3 }) },
  ),
});
export type History = Made<typeof histories>;

/** Any of these numbers; one that is given twice is twice as likely. */
function oneOf(...values: readonly number[]): fc.Arbitrary<number> {
  return fc.constantFrom(...values);
}

/** The first value half of the time. */
function mostly<const T extends string>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(fc.constant(usual), fc.constantFrom(usual, ...others));
}

function rarelyTrue(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 7 }).map((n) => n === 7);
}

/** Undefined mostly. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
