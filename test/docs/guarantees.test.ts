import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { PROMISES } from '../simulation/promises.ts';

it('every promise of the simulation is named in docs/guarantees.md, and no other', async () => {
  const guarantees = await readFile('docs/guarantees.md', 'utf8');
  const [, tested = ''] = guarantees.split('## How it is tested');
  const named = [...tested.matchAll(/^\| +\d+ .*$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect([...new Set(named)].sort()).toEqual(PROMISES.map(({ name }) => name).sort());
});
