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

let open: OpenConsole;
let page: Page;

beforeAll(async () => {
  if (!hasBrowser) return;
  open = await openConsole();
  ({ page } = open);
  page.setDefaultTimeout(20_000);
});

afterAll(() => open?.close());

/** A floorplan that is not deleted. */
function aPlan(name?: string) {
  const { world } = open.service;
  const plan = world.projects.list
    .all()
    .flatMap(({ id }) => world.floorplans.list(id).all())
    .find((each) => each.deleted_at === null && (name === undefined || each.name === name));
  if (!plan) throw new Error('There is no floorplan');
  return plan;
}

const firstRow = () => page.locator('.entity-list').first().locator('li').first();

/** Renames the first floorplan as a person does. @returns its old name. */
async function rename(newName: string): Promise<string> {
  await firstRow()
    .getByRole('button', { name: /^Rename “/ })
    .click();
  const label = await page.getByLabel(/^New name of “/).getAttribute('aria-label');
  await page.keyboard.type(newName);
  await page.keyboard.press('Enter');
  return /“(.*)”$/.exec(label ?? '')?.[1] ?? '';
}

const eventNamed = (name: string) => page.locator('.event').filter({ hasText: name });
/** A list that failed while others did not is polled again after a minute. */
const PATIENCE = { timeout: 120_000 };
/** Waits until the latest note of a problem or a recovery tells of a recovery. */
const recovery = () =>
  page
    .locator('.notes li:not(.is-info)')
    .first()
    .and(page.locator('.is-recovered'))
    .waitFor({ timeout: 90_000 });
const place = (name: string) => page.locator(`.node[data-place="${name}"]`);

// In order: they share one page, as a person goes through it.
describe.runIf(hasBrowser)('the console', () => {
  it('says what to try, and shows the event of a rename with the old name', async () => {
    await page.getByText('Try it: rename a floorplan').waitFor();
    await page.locator('.note').filter({ hasText: 'learned' }).waitFor();
    const oldName = await rename('Cellar');
    await page.getByText(`You renamed “${oldName}” to “Cellar”`).waitFor();
    await page.locator('.story.is-done').waitFor();
    await page.getByText(/A queue received it [\d.]+ s after your click/).waitFor();
    await eventNamed('Cellar').filter({ hasText: 'yours' }).waitFor();
    // The event of the own change is selected.
    const details = page.getByRole('complementary');
    expect(await details.locator('.old').innerText()).toBe(`“${oldName}”`);
    expect(await details.locator('.new').innerText()).toBe('“Cellar”');
    const schema = await details.getByRole('link', { name: 'Schema' }).getAttribute('href');
    expect(await (await fetch(`${open.webConsole.url}${schema}`)).json()).toHaveProperty('$id');
  });

  it('says beside the field what is wrong with a name, and keeps what was typed', async () => {
    const field = page.getByLabel(/^New name of “/);
    await firstRow()
      .getByRole('button', { name: /^Rename “/ })
      .click();
    for (const name of ['x'.repeat(256), '']) {
      await field.fill(name);
      await field.press('Enter');
      const text = `A name has 1 to 255 characters, yours has ${name.length}.`;
      await page.locator('.name-form').getByText(text).waitFor();
      expect(await field.inputValue()).toBe(name);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
    }
    await field.press('Escape');
  });

  it('goes to a project that was created, and changes nothing in a deleted one', async () => {
    await page.getByRole('button', { name: 'New project' }).click();
    await page.keyboard.type('Opera');
    await page.keyboard.press('Enter');
    const chosen = page.locator('#project option:checked');
    await expect.poll(() => chosen.innerText()).toBe('Opera');
    await page.getByRole('button', { name: 'Delete “Opera”' }).click();
    await page.getByText('This project is deleted').waitFor();
    expect(await page.getByRole('button', { name: 'New floorplan' }).count()).toBe(0);
    expect(await page.locator('#project optgroup option').allInnerTexts()).toEqual([
      'Opera (deleted)',
    ]);
    // A new tab begins with a living project that has content.
    await page.reload();
    await firstRow()
      .getByRole('button', { name: /^Rename “/ })
      .waitFor();
    await page.locator('.event').first().waitFor();
  });

  it(
    'shows a fault where it happens, and the recovery; nothing is lost meanwhile',
    PATIENCE,
    async () => {
      await page.getByRole('button', { name: '5xx' }).click();
      await place('service').getByText('answers 503').waitFor();
      await rename('Renamed during a fault');
      await recovery();
      await eventNamed('Renamed during a fault').waitFor();
      expect(await place('service').locator('.node-trouble').count()).toBe(0);
    },
  );

  it('shows a waiting list with its cause, and retries it by a command', PATIENCE, async () => {
    await page.getByRole('button', { name: 'Broken page' }).click();
    const row = page.locator('.lists tr.is-waiting');
    await row.getByText(/1 since .*/).waitFor();
    await row.getByRole('button', { name: 'Retry' }).click();
    await row.waitFor({ state: 'detached' });
    await recovery();
  });

  it('pauses and resumes a list by commands, and moves no row under the mouse', async () => {
    const name = 'Harbour View Offices · floorplans';
    const row = page.locator('.lists tr').filter({ hasText: name });
    await row.getByRole('button', { name: 'Pause' }).hover();
    const { y } = (await row.boundingBox()) ?? {};
    await page.mouse.down();
    await page.mouse.up();

    const paused = row.getByText('paused', { exact: true });
    expect((await row.boundingBox())?.y).toBe(y);
    await paused.first().waitFor();
    expect((await row.boundingBox())?.y).toBe(y);
    await row.getByText('– paused').waitFor();
    await page.getByText(/: 1 paused, \d+ live/).waitFor();
    // The story of a change in it tells what it waits for.
    await rename('Renamed in a paused list');
    await page.locator('.story').getByText('Its list is paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('live', { exact: true }).waitFor();
    await page.locator('.story.is-done').waitFor();
  });

  it('tells of a change that the site made before the poller found that of the person', async () => {
    const row = page.locator('.lists tr').filter({ hasText: 'Harbour View Offices · floorplans' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByRole('button', { name: 'Resume' }).waitFor();
    await rename('Mine');
    await page.locator('.story.is-waiting').waitFor();
    const { world } = open.service;
    const plan = aPlan('Mine');
    world.floorplans.remove(plan.project_id, plan.id);
    await row.getByRole('button', { name: 'Resume' }).click();
    const story = page.locator('.story.is-done');
    await story.getByText(/changed again meanwhile: run \d+ published floorplan.deleted/).waitFor();
    expect(await page.locator('.event .tag').filter({ hasText: 'yours' }).count()).toBe(
      await page.locator('.event.is-own').count(),
    );
    expect(await eventNamed('Mine').locator('.tag').count()).toBe(0);
    world.floorplans.restore(plan.project_id, plan.id);
  });

  it('replays the events of a list, and tells them from new ones', async () => {
    const row = page.locator('.lists tr').filter({ hasText: 'Harbour View Offices · floorplans' });
    await row.getByRole('button', { name: /^Replay/ }).click();
    await eventNamed('Renamed during a fault')
      .filter({ has: page.getByText('replay', { exact: true }) })
      .waitFor();
  });

  it('kills the poller in the middle of a run, and loses nothing', PATIENCE, async () => {
    await page.getByRole('button', { name: 'Kill the poller now' }).click();
    await rename('Renamed before a crash');
    await page.getByText(/You killed the poller in the middle of run \d+/).waitFor();
    await place('poller').locator('.node-trouble').waitFor();
    await endLease(open.stack);
    await eventNamed('Renamed before a crash').waitFor();
    await recovery();
    await page.locator('.bar.is-killed').waitFor({ state: 'attached' });
  });

  it(
    'shows that the service is switched off, and catches up when it answers again',
    PATIENCE,
    async () => {
      const toggle = page.getByRole('button', { name: 'Switch off' });
      await toggle.click();
      await place('service').getByText('switched off').waitFor();
      await rename('Renamed while nobody answered');
      await page.locator('.story').getByText('The service is switched off').waitFor();
      await place('poller').locator('.node-trouble').waitFor();
      await page.locator('.notes').getByText('The service fails: no list').waitFor();
      await page.getByRole('button', { name: 'Switch on' }).click();
      await place('service').locator('.node-trouble').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Retry all' }).click();
      await eventNamed('Renamed while nobody answered').waitFor();
      await recovery();
    },
  );

  it('shows names with markup, emoji, right-to-left text and 10,000 letters as text', async () => {
    const { world } = open.service;
    const plan = aPlan();
    const names = [MARKUP, '🏗️ Krâne 👷🏽‍♀️ مخطط الطابق الأرضي', 'x'.repeat(10_000)];
    const plans = world.floorplans.list(plan.project_id).all();
    const alive = plans.filter(({ deleted_at }) => deleted_at === null).map(({ id }) => id);
    for (const [index, name] of names.entries()) {
      world.floorplans.update(plan.project_id, alive[index] ?? '', { name });
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

  it('can be used by keyboard alone', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'Hold' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const second = page.locator('.event-list li').nth(1).getByRole('button');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.event-list [aria-current="true"]').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.ariaCurrent')).toBe('true');
    expect(await second.isVisible()).toBe(true);
  });

  it('holds the events while a person reads, and shows the latest 200', async () => {
    await page.getByRole('button', { name: 'Hold' }).click();
    open.webConsole.session.history.add(copiesOf(await anEvent(), 250));
    await page.getByRole('button', { name: /^Show 2\d\d new$/ }).click();
    await eventNamed('Copy 249 ').waitFor();
    expect(await page.locator('.event').count()).toBe(200);
  });

  it('has had nothing to complain of', () => {
    expect(open.complaints).toEqual([]);
  });

  it('shows all that it has missed after an hour of sleep', async () => {
    const { history } = open.webConsole.session;
    const tab = await open.browser.newPage();
    await tab.clock.install();
    await tab.goto(open.webConsole.url);
    const hide = (isHidden: boolean): Promise<unknown> =>
      tab.evaluate(`{
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }`);
    await tab.getByText('live', { exact: true }).first().waitFor();
    await hide(true);
    await tab.clock.fastForward('01:00:00');
    await tab.getByText('connecting …').waitFor();
    const plan = aPlan();
    open.service.world.floorplans.update(plan.project_id, plan.id, { name: 'Renamed meanwhile' });
    const lastName = (): unknown => history.events.at(-1)?.event.data?.object.name;
    await expect.poll(lastName, { timeout: 10_000 }).toBe('Renamed meanwhile');
    expect(await tab.locator('.event').filter({ hasText: 'Renamed meanwhile' }).count()).toBe(0);
    await hide(false);
    await tab.locator('.event').filter({ hasText: 'Renamed meanwhile' }).waitFor();
    await tab.close();
  });

  it('says so when npm start has ended', async () => {
    await open.webConsole.close();
    await page.getByRole('alert').getByText('npm start has ended').waitFor();
    for (const name of ['Kill the poller now', 'New project', 'Pause all']) {
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    }
    expect(await page.getByText('live', { exact: true }).count()).toBe(0);
    expect(await page.locator('.story').isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takeScreenshot(page, 'stopped-390');
  });
});

/** An event as the console's server sends it. */
async function anEvent(): Promise<object> {
  const stream = await fetch(`${open.webConsole.url}/api/stream`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  const [line = ''] = text.split('\n');
  const { events } = JSON.parse(line.slice('data: '.length)) as { events: { event: object }[] };
  return events[0]?.event ?? {};
}

/** Messages with ids and names of their own. */
function copiesOf(event: object, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const object = { id: `${index}`, name: `Copy ${index} of an event` };
    const data = { object, changed: ['name'], previous: { name: 'Original' } };
    return JSON.stringify({ ...event, id: object.id, data });
  });
}
