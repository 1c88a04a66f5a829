import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startConsole, type RunningConsole } from '../../infra/local/console/start-console.ts';
import type { Simulator } from '../../infra/local/simulator/simulator.ts';
import { startLocalStack, type LocalStack } from '../../infra/local/stack/local-stack.ts';
import { startTicker } from '../../infra/local/stack/ticker.ts';

/** Where screenshots go, for the eyes of a designer; git ignores them. */
const SCREENSHOTS = join(import.meta.dirname, '.screenshots');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// The page draws nothing in 3D, and to emulate a graphics card takes nearly half of the test's CPU.
sparticuz.setGraphicsMode = false;

/** A browser of yours; without it the one that npm brings, which is for Linux only. */
const { CHROMIUM_PATH } = process.env;

export const hasBrowser = CHROMIUM_PATH !== undefined || process.platform === 'linux';

/** The local stack with a run each second, its console, and a browser that shows it. */
export interface OpenConsole {
  readonly stack: LocalStack;
  readonly service: Simulator;
  readonly webConsole: RunningConsole;
  readonly browser: Browser;
  readonly page: Page;
  /** Errors and warnings of the browser's console, and requests to elsewhere. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Starts all of it, and waits until the baseline is learned. The simulated site is quiet. */
export async function openConsole(): Promise<OpenConsole> {
  const webConsole = await startConsole({ port: 0, everySeconds: 1, isSimulated: true });
  const { session } = webConsole;
  const [stack, browser] = await Promise.all([
    startLocalStack({
      config: { requestsPerMinute: 60_000, monitoring: 'full' },
      service: { size: { projects: 3, shortProjects: 0, floorplans: 4, checklists: 3, items: 2 } },
      onLog: (line) => {
        session.readLog(line);
      },
    }),
    chromium.launch({
      executablePath: CHROMIUM_PATH ?? (await sparticuz.executablePath()),
      // In one process, a closed tab would close the browser.
      args: sparticuz.args.filter((arg) => arg !== '--single-process'),
      headless: true,
    }),
  ]);
  const service = stack.service;
  if (!service) throw new Error('the simulated service was not started');
  // The first one by name has nothing to rename.
  service.world.projects.create({ name: 'A new site' });
  await session.attach(stack);
  let number = 0;
  const ticker = startTicker(1_000, async () => {
    const run = { number: ++number, shard: 0 };
    session.runStarted(run);
    const result = stack.invoke().catch(({ message }: Error) => `failed: ${message}`);
    session.runEnded(run, await result);
  });
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  const complaints = collectComplaints(page, webConsole.url);
  await page.goto(webConsole.url);
  return {
    ...{ stack, service, webConsole, browser, page, complaints },
    close: async () => {
      await browser.close();
      await ticker.stop();
      await webConsole.close();
      await stack.close();
    },
  };
}

/** Collects what a page complains of. */
function collectComplaints(page: Page, origin: string): readonly string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) complaints.push(url);
  });
  return complaints;
}

/** Takes a picture of the whole page if the variable SCREENSHOTS is set. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === undefined) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** The rules of accessibility that the page breaks, with the elements that do. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`,
  );
  return found as string[];
}
