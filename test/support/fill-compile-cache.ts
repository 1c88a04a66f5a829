import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Where Node.js keeps what processes of the tests have compiled. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/sitecast');

/** Node.js has a folder for each of its versions there. */
const OF_A_VERSION = /^v\d/;

/**
 * Has one process compile what many load: without that, all processes of the first tests compile
 * the same, and each saves it, which takes a tenth of the CPU of all tests.
 */
export async function setup(): Promise<void> {
  const isFilled =
    existsSync(COMPILE_CACHE) && readdirSync(COMPILE_CACHE).some((name) => OF_A_VERSION.test(name));
  if (isFilled) return;
  const start = [join(ROOT, 'infra/cli/main.ts'), 'dev', '--headless', '--seconds', '1'];
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE };
  // It only saves time: a machine so slow that no run ends in a second fails no test by it.
  await promisify(execFile)(process.execPath, start, { env }).catch(() => undefined);
}
