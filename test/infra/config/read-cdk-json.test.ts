import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCdkJson } from '../../../infra/config/read-cdk-json.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const file = join(folder, 'cdk.json');
  await writeFile(file, text);
  return readCdkJson(file);
}

describe('a file like cdk.json', () => {
  it('has stages, which may be anything', async () => {
    const stages = { prod: { everyMinutes: 1 }, odd: 'x' };
    expect(await read(JSON.stringify({ context: { notifier: stages } }))).toEqual({
      context: { notifier: stages },
      stages,
    });
  });

  it.each(['{}', '{"context":{}}'])('may have no stages: %s', async (text) => {
    expect((await read(text)).stages).toEqual({});
  });

  it.each([
    ['{\n  "context": {\n    "a": 1\n    "b": 2\n  }\n}', /cdk\.json is no valid JSON: .*line 4/],
    ['', /cdk\.json is no valid JSON: Unexpected end/],
    ['[]', /cdk\.json is no object: it needs "context"\.$/],
    ['{"context": 1}', /"context" of .*cdk\.json is no object\.$/],
    ['{"context": {"notifier": []}}', /"notifier" in the context of .*cdk\.json is no object: /],
  ])('is refused with its name and the place: %s', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('is refused if it does not exist', () => {
    expect(() => readCdkJson('/nope.json')).toThrow('/nope.json does not exist.');
    expect(() => readCdkJson('/tmp')).toThrow('/tmp cannot be read (EISDIR).');
  });
});
