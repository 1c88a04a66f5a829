import fc from 'fast-check';

/** The service's behaviour where the spec leaves it open. */
export interface ServiceTraits {
  /** How `last_synced_at` filters. */
  readonly filter: '>' | '>=';
  /** Order of entities with equal timestamps. */
  readonly tieOrder: 'by id' | 'by id, backwards' | 'another on every read';
  /** `X-Last-Synced-At` of a page with entities. */
  readonly cursorHeader: 'last item' | 'absent' | 'behind' | 'ahead';
  /** `X-Last-Synced-At` of a page without. */
  readonly emptyPageCursor: 'echo' | 'now' | 'absent';
  /** Whether answers have a `Date`. */
  readonly dates: boolean;
  /** How far the service's clock is ahead of ours, in milliseconds. */
  readonly skewMs: number;
  /** `updated_at` is rounded down to a multiple of this, in milliseconds. */
  readonly roundMs: number;
  /** Maximum age of the copy that answers a request, in milliseconds. */
  readonly lagMs: number;
  /** Pages show their first entity twice. */
  readonly repeats: boolean;
  /** Maximum entities on a page. */
  readonly largestPage: number;
  /** Lists below a deleted project. */
  readonly deletedProjectLists: 'answer' | 'not_found';
  /** Deleted items in the list of their checklist. */
  readonly deletedItems: 'marked' | 'left_out';
  /** Lists of a project that we may not read. */
  readonly lostPermission: 'refused' | 'empty';
}

/** How the notifier is set up. */
export interface NotifierTraits {
  readonly perPage: number;
  readonly lookbackMs: number;
  readonly concurrency: number;
  readonly pagesPerTurn: number;
  readonly baseline: 'silent' | 'emit';
  /** A run is killed after this time. */
  readonly timeLimitMs: number;
  /** Floorplans come with their current sheet. */
  readonly sheets: boolean;
}

/** Limits of a run. */
export interface Limits {
  /** Maximum requests of a run until the service is calm. */
  readonly requestsPerRun: number;
  /** Maximum age of the feeds that a run loads, in milliseconds. */
  readonly staleMs: number;
}

/** A fault in one call of a run. */
export interface Fault {
  readonly port: 'api' | 'store' | 'topic' | 'quarantine';
  /** Which call of that port in the run, from 0. */
  readonly call: number;
  /**
   * `die`: the process ends there; `fail`: the call rejects; `slow`: it takes seconds; `refuse`: the
   * topic will never take one of the events. `half`: a part of a batch had its effect.
   */
  readonly how:
    | 'die before'
    | 'die half'
    | 'die after'
    | 'fail before'
    | 'fail half'
    | 'fail after'
    | 'slow'
    | 'refuse';
}

/** Kinds of changes at the service. */
export const CHANGES = [
  'create project',
  'touch project',
  'rename project',
  'delete project',
  'restore project',
  'revoke project',
  'grant project',
  'create floorplan',
  'rename floorplan',
  'touch floorplan',
  'delete floorplan',
  'restore floorplan',
  'replace sheet',
  'import floorplans',
  'date floorplan in the future',
  'break floorplan',
  'create checklist',
  'rename checklist',
  'delete checklist',
  'restore checklist',
  'add item',
  'rename item',
  'remove item',
  'restore item',
  'hide item',
  'show item',
] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** Something that happens. */
export type Act =
  /** A run starts, whether another one is active or not. */
  | { readonly kind: 'tick'; readonly faults: readonly Fault[] }
  /** All active runs die. */
  | { readonly kind: 'kill' }
  /** All active runs pause, and then continue. */
  | { readonly kind: 'freeze'; readonly ms: number }
  | {
      readonly kind: 'change';
      readonly what: ChangeKind;
      /** Index of the entity, modulo their number. */
      readonly which: number;
      /** How late it is committed: 0 at once, 1 as late as the lookback allows. */
      readonly late: number;
    };

/** An act and the time since the previous one. */
export interface Step {
  readonly afterMs: number;
  readonly act: Act;
}

/** Everything that determines a simulation. */
export interface History {
  readonly service: ServiceTraits;
  readonly notifier: NotifierTraits;
  /** Initial number of projects, and of floorplans and checklists in each. */
  readonly projects: number;
  readonly floorplans: number;
  readonly checklists: number;
  readonly steps: readonly Step[];
  /** Seed of the duration of calls and of the halves of batches. */
  readonly luck: number;
  readonly limits: Limits;
}

const serviceTraits: fc.Arbitrary<ServiceTraits> = fc.record({
  filter: fc.constantFrom('>', '>='),
  tieOrder: fc.constantFrom('by id', 'by id, backwards', 'another on every read'),
  cursorHeader: mostly('last item', 'absent', 'behind', 'ahead'),
  emptyPageCursor: fc.constantFrom('echo', 'now', 'absent'),
  dates: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
  skewMs: fc.constantFrom(0, -420_000, 420_000),
  roundMs: fc.constantFrom(1, 100, 5_000),
  lagMs: fc.constantFrom(0, 0, 3_000),
  repeats: fc.integer({ min: 0, max: 7 }).map((n) => n === 7),
  largestPage: fc.constantFrom(1_000, 6),
  deletedProjectLists: fc.constantFrom('answer', 'not_found'),
  deletedItems: fc.constantFrom('marked', 'left_out'),
  lostPermission: fc.constantFrom('refused', 'empty'),
});

const notifierTraits: fc.Arbitrary<NotifierTraits> = fc.record({
  perPage: fc.integer({ min: 2, max: 5 }),
  lookbackMs: fc.constantFrom(10_000, 60_000),
  concurrency: fc.integer({ min: 1, max: 3 }),
  pagesPerTurn: fc.constantFrom(1, 2, 20),
  baseline: mostly('silent', 'emit'),
  timeLimitMs: fc.constantFrom(55_000, 13_000, 300_000),
  sheets: fc.boolean(),
});

const how: fc.Arbitrary<Fault['how']> = fc.constantFrom(
  'die before',
  'die half',
  'die after',
  'fail before',
  'fail half',
  'fail after',
  'slow',
  'refuse',
);

/** Weighted by the calls that most runs make. */
const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 3, arbitrary: faultOf('store', 40) },
  { weight: 3, arbitrary: faultOf('topic', 3) },
  { weight: 2, arbitrary: faultOf('api', 10) },
  { weight: 1, arbitrary: faultOf('quarantine', 1) },
);

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      faults: fc.array(fault, { maxLength: 2 }),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      what: fc.constantFrom(...CHANGES),
      which: fc.nat({ max: 5 }),
      late: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: 10 }).map((n) => n / 10),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('freeze' as const),
      ms: fc.constantFrom(3_000, 25_000, 70_000),
    }),
  },
);

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 3, arbitrary: fc.integer({ min: 1_000, max: 15_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 30_000, max: 90_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(600_000, 3_700_000) },
  ),
  act,
});

/** Any history. */
export const histories: fc.Arbitrary<History> = fc.record({
  service: serviceTraits,
  notifier: notifierTraits,
  projects: fc.integer({ min: 1, max: 2 }),
  floorplans: fc.nat({ max: 5 }),
  checklists: fc.nat({ max: 2 }),
  steps: fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
  luck: fc.nat(),
  limits: fc.record({
    requestsPerRun: fc.constantFrom(1_000, 1_000, 12, 4),
    staleMs: fc.constantFrom(0, 0, 2_000, 90_000),
  }),
});

function faultOf(port: Fault['port'], lastCall: number): fc.Arbitrary<Fault> {
  return fc.record({ port: fc.constant(port), call: fc.nat({ max: lastCall }), how });
}

/** The first value half of the time. */
function mostly<const T extends string>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(fc.constant(usual), fc.constantFrom(usual, ...others));
}
