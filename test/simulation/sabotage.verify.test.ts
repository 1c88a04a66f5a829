import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seeds } from './campaign.ts';
import { findSabotage, findSabotages } from './find-sabotages.ts';
import { loadSabotages, type Sabotage, type SabotagedCode } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

const TIMES = { timeout: 600_000 };

const [REAL] = SABOTAGES as [Sabotage];

/** The same fault, as if another promise revealed it. */
const HARMLESS = { ...REAL, name: 'harmless', breaks: ['aPausedListIsNotPolled'] };

/** Loaded once: what is bundled anew is compiled anew, too. */
let code: SabotagedCode;

beforeAll(async () => {
  code = await loadSabotages([REAL, HARMLESS]);
});

afterAll(() => code.remove());

describe('npm run simulate -- --sabotages', TIMES, () => {
  it('reports a fault that was not found', async () => {
    const lines: string[] = [];
    const search = { firstSeed: 1, histories: 2 };
    const summary = await findSabotages([HARMLESS], code, search, (line) => lines.push(line));
    expect(summary).toEqual({ sabotages: 1, found: 0 });
    expect(lines).toEqual(['harmless: no history from seed 1 to 2 breaks aPausedListIsNotPolled']);
  });

  it('does not count a fault whose history breaks a promise without it', async () => {
    const explore = (_: unknown, seeds: Seeds) => code.explore(REAL.name, seeds);
    const finding = findSabotage(REAL, { ...code, explore }, { firstSeed: 1 });
    await expect(finding).rejects.toThrow('it needs no fault: Seed ');
  });
});
