import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeViolation } from './report.ts';
import { loadSabotages, type SabotagedCode } from './sabotage.ts';

/** What holds also for an entity that cannot be processed. */
const PROMISES = [
  'everyEventTellsAChangeThatHappened',
  'everyEventHasTheRightActionFieldsAndOldValues',
  'nothingElseIsLearnedInSilence',
  'anInvalidEntityIsQuarantinedOnce',
  'aRunFailsOnlyByAnInjectedFault',
  'aRunEndsInItsTimeAndNeverLoops',
  'inTheEndARunIsWhole',
  'everyCallKeepsTheRulesOfItsPort',
];

/** How an entity fails, and the function and its id there. */
const FAILURES = [
  ['read', 'model/nested-entities.ts', 'ownObject', 'entity.id'],
  ['observed', 'changes/observe.ts', 'observe', 'object.id'],
  ['compared', 'changes/diff.ts', 'diff', 'observed.id'],
  ['compared field by field', 'changes/changed-fields.ts', 'changedFields', 'object.id'],
  ['dropped', 'changes/diff.ts', 'inferDelete', 'entity.id'],
  ['published again', 'changes/last-change.ts', 'lastChange', 'entity.id'],
  ['made an event', 'events/make-event.ts', 'makeEvent', 'change.id'],
] as const;

let code: SabotagedCode;

beforeAll(async () => {
  code = await loadSabotages(
    FAILURES.map(([name, file, place, id]) => {
      // Every third entity fails, whatever its kind.
      const failing = "globalThis.madeToFail += 1; throw new Error('made to fail');";
      const first = `if (Number(${id}.slice(1)) % 3 === 0) { ${failing} }`;
      return { name, breaks: [], edits: [{ file, in: place, first }] };
    }),
  );
});

afterAll(() => code.remove());

it.each(FAILURES)(
  'an error when an entity is %s sends it to the quarantine once, and its list goes on',
  { timeout: 600_000 },
  async (name) => {
    const limits = { maxShrinks: 0, promises: PROMISES };
    const global = globalThis as { madeToFail?: number };
    global.madeToFail = 0;
    // Entities fail in each of these ways in some of these histories. If they change, others have them.
    const found = await code.explore(name, { firstSeed: 300, histories: 60, limits });
    expect(found.violations.map(describeViolation)).toEqual([]);
    expect(global.madeToFail).toBeGreaterThan(3);
  },
);
