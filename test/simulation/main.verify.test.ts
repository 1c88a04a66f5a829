import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runSimulate } from './main.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

describe('npm run simulate', () => {
  it('prints one JSON object and nothing else when it is asked to', async () => {
    const flags = ['--histories', '4', '--seed', '28', '--json'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...flags]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ firstSeed: 28, histories: 4, violations: 0 });
  });

  it.each([
    [['--historys'], '--historys'],
    [['--histories', '0'], '--histories'],
    [['--seed', '1.5'], '--seed'],
    [['--crash-points', '--seed', '1'], '--crash-points'],
  ])('refuses %j', async (options, flag) => {
    await expect(runSimulate(options, console)).rejects.toThrow(flag);
  });
});
