import { describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, openConsole } from './open-console.ts';

describe.runIf(hasBrowser)('the console', () => {
  it('shows a change of the service, and the event that follows', async () => {
    const open = await openConsole();
    onTestFinished(() => open.close());
    const { page } = open;
    page.setDefaultTimeout(60_000);
    // What changes before is part of the baseline.
    await page.locator('.note').filter({ hasText: 'learned' }).waitFor();
    const plan = page.locator('.entity').first();
    const name = await plan.locator('.name').innerText();
    await plan.getByRole('button', { name: /^Rename “/ }).click();
    await page
      .locator('.event')
      .filter({ hasText: `name: “${name}” → ` })
      .waitFor();
    expect(open.complaints).toEqual([]);
  });
});
