import { expect, it, onTestFinished } from 'vitest';
import { exploreHistories } from './campaign.ts';
import { describeViolation } from './report.ts';
import { applySabotage } from './sabotage.ts';

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

it.each([
  ['read', 'model/resource-catalog.ts', 'ownObject', 'entity.id'],
  ['observed', 'changes/observed-entity.ts', 'observe', 'id'],
  ['compared', 'changes/diff.ts', 'diff', 'observed.id'],
  ['compared field by field', 'changes/changed-fields.ts', 'changedFields', 'object.id'],
  ['missed', 'changes/diff.ts', 'diffMissing', 'id'],
  ['replayed', 'changes/outbox.ts', 'replayFromOutbox', 'id'],
  ['made an event', 'events/make-event.ts', 'makeEvent', 'change.id'],
])(
  'an error when an entity is %s sends it to the quarantine once, and its list goes on',
  { timeout: 600_000 },
  async (_, file, name, id) => {
    // Every third entity fails, whatever its kind.
    const first = `if (Number(${id}.slice(1)) % 3 === 0) throw new Error('made to fail');`;
    const edits = [{ file, in: name, first }];
    const { worker, remove } = await applySabotage({ name: '', breaks: [], edits });
    onTestFinished(remove);
    const limits = { maxShrinks: 0, promises: PROMISES };
    const seeds = { firstSeed: 60, histories: 16, limits };
    const found = await exploreHistories(seeds, { workers: 1, worker });
    expect(found.violations.map(describeViolation)).toEqual([]);
  },
);
