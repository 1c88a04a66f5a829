import fc from 'fast-check';
import { changesOf, oneOf, type Made } from './arbitraries.ts';

/**
 * `die`: the process ends there. `fail`: the call rejects. `half`: a part of a batch had its
 * effect. `slow`: the call takes seconds.
 */
const HOWS = [
  'die before',
  'die half',
  'die after',
  'fail before',
  'fail half',
  'fail after',
  'slow',
] as const;
type How = (typeof HOWS)[number] | 'refuse';

/** A fault in one call of a run, weighted by the calls that most runs make. */
const fault = fc.oneof(
  { weight: 4, arbitrary: faultOf('store', 30, ...HOWS) },
  // The topic will never accept one of the events.
  { weight: 4, arbitrary: faultOf('topic', 3, ...HOWS, 'refuse', 'refuse') },
  { weight: 2, arbitrary: faultOf('api', 8, ...HOWS) },
  { weight: 1, arbitrary: faultOf('quarantine', 1, ...HOWS) },
);
export type Fault = Made<typeof fault>;

/** `call` is the number of the call to that port in the run, from 0. */
function faultOf<const Port extends string>(port: Port, lastCall: number, ...hows: readonly How[]) {
  const call = fc.nat({ max: lastCall });
  return fc.record({ port: fc.constant(port), call, how: fc.constantFrom(...hows) });
}

/** Changes at the service. A second `remove` or `hide` of an entity brings it back. */
const change = fc.constantFrom(
  ...changesOf('project', 'create', 'touch', 'rename', 'remove', 'remove', 'hide'),
  ...changesOf('floorplan', 'create', 'rename', 'touch', 'remove', 'remove', 'predate', 'break'),
  ...changesOf('floorplans', 'import', 'import', 'import'),
  ...changesOf('sheet', 'replace', 'return', 'remove'),
  ...changesOf('checklist', 'create', 'rename', 'rename', 'touch', 'remove', 'remove', 'predate'),
  ...changesOf('item', 'add', 'add', 'rename', 'remove', 'remove', 'hide', 'hide', 'hide', 'hide'),
);
export type ChangeKind = Made<typeof change>;

const act = fc.oneof(
  {
    weight: 8,
    // A run starts, whether another one is active or not.
    arbitrary: fc.record({
      kind: fc.constant('tick'),
      faults: fc.array(fault, { maxLength: 2 }),
      /** Another run starts this much later, if not 0: both may see copies of a different age. */
      againAfterMs: oneOf(0, 2_000),
    }),
  },
  {
    weight: 17,
    arbitrary: fc.record({
      kind: fc.constant('change'),
      what: change,
      /** Index of the entity, modulo their number. */
      which: fc.nat({ max: 5 }),
      /** How late it is committed: 0 at once, 1 as late as the lookback allows. */
      late: oneOf(0, 0, 0, 0.5, 0.9, 1),
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
export const step = fc.record({
  afterMs: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 3, arbitrary: fc.integer({ min: 1_000, max: 15_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 30_000, max: 90_000 }) },
    { weight: 1, arbitrary: oneOf(600_000, 3_700_000) },
  ),
  act,
});
export type Step = Made<typeof step>;
