import { describe, expect, it } from 'vitest';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { liveSite } from '../support/site.ts';

/** Changes the numbers of a floorplan. @returns the data of its event. */
async function changeNumbers(before: string, after: string) {
  const site = await liveSite();
  site.floorplan('p', 'f', 10, { n: parseJson(before) });
  await site.catchUp();
  site.floorplan('p', 'f', 11, { n: parseJson(after) });
  await site.poll();
  return JSON.stringify(site.takeEvents()[0]?.data);
}

describe('a number that JavaScript cannot hold', () => {
  it.each(['9007199254740993', '1e400', '{"deep":[-0.12345678901234567890]}'])(
    'reaches subscribers as the service wrote it: %s',
    async (number) => {
      expect(await changeNumbers('1', number)).toContain(`"n":${number}},"changed":["n"]`);
      expect(await changeNumbers(number, '1')).toContain(`"previous":{"n":${number}}`);
    },
  );
});
