import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLease } from '../e2e/stack.ts';
import {
  accessibilityProblems,
  hasBrowser,
  openConsole,
  takeScreenshot,
  type OpenConsole,
} from './open-console.ts';

const MARKUP =
  '<img src=x onerror="window.isInjected = true"><script>window.isInjected = true</script>';
/** A list that failed while others did not is polled again after a minute. */
const PATIENCE = { timeout: 120_000 };

let open: OpenConsole;
let page: Page;

beforeAll(async () => {
  if (!hasBrowser) return;
  open = await openConsole();
  ({ page } = open);
  page.setDefaultTimeout(20_000);
});

afterAll(() => open?.close());

const button = (name: string | RegExp) => page.getByRole('button', { name });
const place = (title: string) => page.locator(`[data-place="${title}"]`);
const eventNamed = (name: string) => page.locator('.event').filter({ hasText: name });
const list = () => page.locator('tr').filter({ hasText: 'Harbour View Offices · floorplans' });
/** Waits until the latest note of a problem or a recovery names a recovery. */
const recovery = () =>
  page.locator('.note:not(.info)').first().and(page.locator('.good')).waitFor({ timeout: 90_000 });

/** Renames the first floorplan as a person does. @returns its old name. */
async function rename(): Promise<string> {
  const plan = page.locator('.entity').first();
  const name = await plan.locator('.name').innerText();
  await plan.getByRole('button', { name: /^Rename “/ }).click();
  await page.getByText(`You renamed “${name}”.`).waitFor();
  return name;
}

/** The event of a rename. */
const renamed = (name: string) => eventNamed(`name: “${name}” → `);

// In order: they share one page, as a person goes through it.
describe.runIf(hasBrowser)('the console', () => {
  it('says what to try, and shows the event of a rename with the old name', async () => {
    await page.getByText('Try it: rename a floorplan').waitFor();
    await page.locator('.note').filter({ hasText: 'learned' }).waitFor();
    const name = await rename();
    await page.locator('.story.good').waitFor();
    await renamed(name).filter({ hasText: 'yours' }).waitFor();
    // The event of the own change is selected.
    const [old, current] = await page.getByRole('complementary').locator('td').allInnerTexts();
    expect(old).toBe(`“${name}”`);
    expect(current).toMatch(new RegExp(`^“${name} – `));
  });

  it('goes to a project that was created, and changes nothing in a deleted one', async () => {
    await button('New project').click();
    const chosen = page.locator('#project option:checked');
    await expect.poll(() => chosen.innerText()).toMatch(/^New project, /);
    await button('Delete “New project, ').click();
    await page.getByText('This project is deleted').waitFor();
    expect(await button('New floorplan').isDisabled()).toBe(true);
    // A new tab begins with a living project that has content.
    await page.reload();
    await page.locator('.entity').first().waitFor();
    await page.locator('.event').first().waitFor();
  });

  it('shows a fault where it happens, and the recovery', PATIENCE, async () => {
    await button('5xx').click();
    await place('Simulated service').getByText('answers 503').waitFor();
    const name = await rename();
    await recovery();
    await renamed(name).waitFor();
    expect(await place('Simulated service').locator('.trouble').count()).toBe(0);
  });

  it('shows a waiting list with its cause, and retries it by a command', PATIENCE, async () => {
    await button('Broken page').click();
    const row = page.locator('tr.is-waiting');
    await row.getByText(/1 failure since/).waitFor();
    await row.getByRole('button', { name: 'Retry' }).click();
    await row.waitFor({ state: 'detached' });
    await recovery();
  });

  it('pauses and resumes a list by commands, and moves no row under the mouse', async () => {
    await list().getByRole('button', { name: 'Pause' }).hover();
    const { y } = (await list().boundingBox()) ?? {};
    await page.mouse.down();
    await page.mouse.up();
    await list().getByText('paused', { exact: true }).waitFor();
    expect((await list().boundingBox())?.y).toBe(y);
    await page.getByText(/: 1 paused, \d+ live/).waitFor();
    // The story of a change in it says what it waits for.
    await rename();
    await page.locator('.story').getByText('Its list is paused').waitFor();
    await list().getByRole('button', { name: 'Resume' }).click();
    await list().getByText('live', { exact: true }).waitFor();
    await page.locator('.story.good').waitFor();
  });

  it('replays the events of a list, and marks them as such', async () => {
    await list()
      .getByRole('button', { name: /^Replay/ })
      .click();
    await page.locator('.event').getByText('replay', { exact: true }).first().waitFor();
  });

  it('kills the poller in the middle of a run, and loses nothing', PATIENCE, async () => {
    await button('Kill the poller now').click();
    const name = await rename();
    await page.getByText(/You killed the poller in the middle of run \d+/).waitFor();
    await place('Poller').locator('.trouble').waitFor();
    await endLease(open.stack);
    await renamed(name).waitFor();
    await recovery();
  });

  it('shows an outage, and catches up after it', PATIENCE, async () => {
    const toggle = button('Switched off');
    await toggle.click();
    await place('Simulated service').getByText('switched off').waitFor();
    expect(await toggle.getAttribute('aria-pressed')).toBe('true');
    const name = await rename();
    await page.locator('.story').getByText('The service is switched off').waitFor();
    await place('Poller').locator('.trouble').waitFor();
    await toggle.click();
    await place('Simulated service').locator('.trouble').waitFor({ state: 'detached' });
    await button('Retry all').click();
    await renamed(name).waitFor();
    await recovery();
  });

  it('shows names with markup, emoji, right-to-left text and 10,000 letters as text', async () => {
    const { floorplans, projects } = open.service.world;
    const plans = projects
      .all()
      .flatMap(({ id }) => floorplans.list(id).all())
      .filter(({ deleted_at }) => deleted_at === null);
    const names = [MARKUP, '🏗️ Krâne 👷🏽‍♀️ مخطط الطابق الأرضي', 'x'.repeat(10_000)];
    for (const [index, { id, project_id }] of plans.slice(0, names.length).entries()) {
      floorplans.list(project_id).update(id, { name: names[index] ?? '' });
    }
    for (const text of ['<img src=x', 'مخطط', 'xxxxxxxx']) await eventNamed(text).first().waitFor();
    expect(await page.evaluate('window.isInjected')).toBeUndefined();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('breaks no rule of accessibility: %s, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await page.getByText('JSON', { exact: true }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await takeScreenshot(page, `${colorScheme}-${width}`);
  });

  it('has had nothing to complain of', () => {
    expect(open.complaints).toEqual([]);
  });

  it('says so when npm start has ended', async () => {
    await open.webConsole.close();
    await page.getByRole('alert').getByText('npm start has ended').waitFor();
    for (const name of ['Kill the poller now', 'New floorplan', 'Pause all']) {
      expect(await button(name).isDisabled()).toBe(true);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takeScreenshot(page, 'stopped-390');
  });
});
