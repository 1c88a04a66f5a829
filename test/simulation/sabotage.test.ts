import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seeds } from './campaign.ts';
import { findSabotage, findSabotages } from './find-sabotages.ts';
import { loadSabotages, type Sabotage, type SabotagedCode } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

/** `npm run simulate -- --sabotages` tries all. */
const STRIDE = 24;

const TIMES = { timeout: 600_000 };

const [REAL] = SABOTAGES as [Sabotage];
const { firstSeed: FIRST_SEED = 1 } = REAL;

/** The same fault, as if another promise revealed it, or another seed. */
const VARIANTS = [
  { ...REAL, name: 'harmless', breaks: ['aPausedListIsNotPolled'] },
  { ...REAL, name: 'late', firstSeed: FIRST_SEED - 1 },
];

/** Loaded once: what is bundled anew is compiled anew, too. */
let code: SabotagedCode;

beforeAll(async () => {
  code = await loadSabotages([...SABOTAGES, ...VARIANTS]);
});

afterAll(() => code.remove());

describe('the simulation finds it when', TIMES, () => {
  it.each(SABOTAGES.filter((_, i) => i % STRIDE === 0))('$name', async (sabotage) => {
    expect(await findSabotage(sabotage, code)).toBeGreaterThanOrEqual(sabotage.firstSeed ?? 1);
  });
});

describe('npm run simulate -- --sabotages', TIMES, () => {
  it('tells which fault was not found, and which another seed finds', async () => {
    const lines: string[] = [];
    const summary = await findSabotages(VARIANTS, code, (line) => lines.push(line), 2);
    expect(summary).toEqual({ sabotages: 2, found: 1 });
    const last = FIRST_SEED + 1;
    expect(lines).toEqual([
      `harmless: no history from seed ${FIRST_SEED} to ${last} breaks aPausedListIsNotPolled`,
      `late: found by seed ${FIRST_SEED}, not by firstSeed`,
    ]);
  });

  it('does not count a fault whose history breaks a promise without it', async () => {
    const explore = (_: unknown, seeds: Seeds) => code.explore(REAL.name, seeds);
    const finding = findSabotage(REAL, { ...code, explore });
    await expect(finding).rejects.toThrow(`it needs no fault: Seed ${FIRST_SEED} breaks a promise`);
  });
});
