import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Runs the command. */
async function run(
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

describe('npm run simulate', () => {
  it('prints one JSON object and nothing else when it is asked to', async () => {
    const { code, stdout, stderr } = await run('--histories', '5', '--seed', '7', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const summary = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(summary)).toEqual([
      'histories',
      'operations',
      'faults',
      'violations',
      'seconds',
    ]);
    expect(summary).toMatchObject({ histories: 5, violations: 0 });
  });

  it('tells how many histories had each value of each dimension', async () => {
    const { stdout } = await run(
      ...['--histories', '8', '--seed', '7', '--json', '--dimensions', '--workers', '1'],
    );
    const { dimensions } = JSON.parse(stdout) as { dimensions: Record<string, number> };
    const count = (value: string) => dimensions[value] ?? 0;
    expect(count('service.filter >') + count('service.filter >=')).toBe(8);
    expect(count('act tick')).toBeGreaterThan(4);
  });

  it('runs the one history of a seed again, on the embedded services if asked', async () => {
    const [memory, embedded] = await Promise.all([
      run('--seed', '11', '--json'),
      run('--seed', '11', '--embedded', '--json'),
    ]);
    const { histories, operations, faults } = JSON.parse(memory.stdout) as Record<string, number>;
    expect(histories).toBe(1);
    expect(JSON.parse(embedded.stdout)).toMatchObject({ histories, operations, faults });
  });

  it.each([
    [['--histories', '0'], '--histories must be a whole number from 1 to 2147483647, got "0"'],
    [['--seed', '1.5'], '--seed must be a whole number from 0 to 2147483647, got "1.5"'],
    [['--workers', 'x'], '--workers must be a whole number from 1 to 64, got "x"'],
    [['--crash-points', '--seed', '1'], '--crash-points goes without --seed\n'],
    [
      ['--sabotages', '--workers', '2', '--embedded'],
      '--sabotages goes without --workers and --embedded',
    ],
    [['--historys'], 'There is no flag --historys. Did you mean --histories?'],
  ])('refuses %j and says what is allowed', async (options, message) => {
    const { code, stdout, stderr } = await run(...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
