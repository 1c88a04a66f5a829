import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Seeds } from './campaign.ts';
import { findSabotage, findSabotages } from './find-sabotages.ts';
import { loadSabotages, type Sabotage, type SabotagedCode } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

/** `npm run simulate -- --sabotages` tries all. */
const STRIDE = 24;

const TIMES = { timeout: 600_000 };

describe('the simulation finds it when', TIMES, () => {
  let code: SabotagedCode;

  beforeAll(async () => {
    code = await loadSabotages(SABOTAGES);
  });

  afterAll(() => code.remove());

  it.each(SABOTAGES.filter((_, i) => i % STRIDE === 0))('$name', async (sabotage) => {
    expect(await findSabotage(sabotage, code)).toBeGreaterThanOrEqual(sabotage.firstSeed ?? 1);
  });
});

describe('npm run simulate -- --sabotages', TIMES, () => {
  const [real] = SABOTAGES as [Sabotage];
  const { firstSeed = 1 } = real;

  it('tells which fault was not found, and which another seed finds', async () => {
    const lines: string[] = [];
    const variants = [
      { ...real, name: 'harmless', breaks: ['aPausedListIsNotPolled'] },
      { ...real, name: 'late', firstSeed: firstSeed - 1 },
    ];
    const summary = await findSabotages(variants, (line) => lines.push(line), 2);
    expect(summary).toEqual({ sabotages: 2, found: 1 });
    const last = firstSeed + 1;
    expect(lines).toEqual([
      `harmless: no history from seed ${firstSeed} to ${last} breaks aPausedListIsNotPolled`,
      `late: found by seed ${firstSeed}, not by firstSeed`,
    ]);
  });

  it('does not count a fault whose history breaks a promise without it', async () => {
    const code = await loadSabotages([real]);
    onTestFinished(() => code.remove());
    const explore = (_: unknown, seeds: Seeds) => code.explore(real.name, seeds);
    const finding = findSabotage(real, { ...code, explore });
    await expect(finding).rejects.toThrow(`it needs no fault: Seed ${firstSeed} breaks a promise`);
  });
});
