import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runSimulate } from './run-simulate.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Starts the command itself. */
async function start(
  ...options: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...options]);
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** Runs the command in this process: starting it takes up to seconds of CPU. @returns what it prints as JSON. */
async function run(...options: string[]): Promise<Record<string, unknown>> {
  const printed: unknown[] = [];
  const print = (...what: unknown[]) => void printed.push(...what);
  const output = { log: print, error: print, table: print };
  expect(await runSimulate([...options, '--json'], output)).toBe(0);
  expect(printed).toHaveLength(1);
  return JSON.parse(String(printed[0])) as Record<string, unknown>;
}

describe('npm run simulate', () => {
  it('prints one JSON object and nothing else when it is asked to, with the histories of each dimension', async () => {
    const flags = ['--histories', '4', '--seed', '28', '--dimensions', '--json'];
    const { code, stdout, stderr } = await start(...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { dimensions, ...summary } = JSON.parse(stdout) as Record<string, unknown>;
    expect(summary).toEqual({
      ...{ histories: 4, violations: 0 },
      operations: expect.any(Number) as number,
      faults: expect.any(Number) as number,
      seconds: expect.any(Number) as number,
    });
    const count = (value: string) => (dimensions as Record<string, number>)[value] ?? 0;
    expect(count('service.filter >') + count('service.filter >=')).toBe(4);
    expect(count('act tick')).toBeGreaterThan(2);
  });

  it('runs the one history of a seed again, on the embedded services if asked', async () => {
    const { histories, operations, faults } = await run('--seed', '31');
    expect(histories).toBe(1);
    expect(await run('--seed', '31', '--embedded')).toMatchObject({
      histories,
      operations,
      faults,
    });
  });

  it('refuses an unknown flag with status 2, and prints nothing else', async () => {
    const { code, stdout, stderr } = await start('--historys');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("Unknown option '--historys'");
  });

  it.each([
    [['--histories', '0'], '--histories must be a whole number from 1 to 2147483647, got "0"'],
    [['--seed', '1.5'], '--seed must be a whole number from 0 to 2147483647, got "1.5"'],
    [['--workers', 'x'], '--workers must be a whole number from 1 to 64, got "x"'],
    [['--crash-points', '--seed', '1'], /^--crash-points goes without --seed$/],
    [
      ['--sabotages', '--workers', '2', '--embedded'],
      '--sabotages goes without --workers and --embedded',
    ],
  ])('refuses %j and says what is allowed', async (options, message) => {
    await expect(runSimulate(options, console)).rejects.toThrow(message);
  });
});
