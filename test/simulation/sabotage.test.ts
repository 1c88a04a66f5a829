import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeViolation } from './report.ts';
import { loadSabotages, type SabotagedCode } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

/** No fault may need more, from its first seed on. */
const HISTORIES = 2_000;

let code: SabotagedCode;

beforeAll(async () => {
  code = await loadSabotages(SABOTAGES);
});

afterAll(() => code.remove());

describe('the simulation finds it when', () => {
  it.for(SABOTAGES)(
    '$name',
    { timeout: 600_000 },
    async ({ name, breaks: promises, firstSeed = 1 }, { annotate }) => {
      const limits = { maxShrinks: 0, promises };
      const found = await code.explore(name, { firstSeed, histories: HISTORIES, limits });
      const [violation] = found.violations;
      if (violation === undefined) throw new Error(`no history breaks ${promises.join(' or ')}`);
      // It is the fault that breaks it.
      const seed = firstSeed + found.histories - 1;
      if (seed !== firstSeed) await annotate(`found by seed ${seed}, not by firstSeed`);
      const without = await code.explore(undefined, { firstSeed: seed, histories: 1 });
      expect(without.violations.map(describeViolation)).toEqual([]);
    },
  );
});
