import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { expect, it } from 'vitest';

const files = globSync('docs/examples/*.py');
const run = (program: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
};
const hasMypy = run('mypy', ['--version']).status === 0;

// Skipped where there is no mypy.
it.skipIf(!hasMypy)('the examples in Python have the types that they state', () => {
  const options = ['--strict', '--ignore-missing-imports', '--cache-dir=/dev/null'];
  const { status, output } = run('mypy', [...options, ...files]);
  expect(output).toContain('Success');
  expect(status).toBe(0);
});
