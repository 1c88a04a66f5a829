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
    ['{\n  "context": {\n    "a": 1\n    "b": 2\n  }\n}', /cdk\.json cannot be read: .*line 4/],
    ['', /cdk\.json cannot be read: Unexpected end/],
    ['[]', /cdk\.json needs "context"/],
    ['{"context": 1}', /cdk\.json needs "context"/],
    ['{"context": {"notifier": []}}', /cdk\.json needs "context"/],
  ])('is refused with its name and the place: %s', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('is refused if it does not exist', () => {
    expect(() => readCdkJson('/nope.json')).toThrow(
      '/nope.json cannot be read: it does not exist.',
    );
    expect(() => readCdkJson('/tmp')).toThrow('/tmp cannot be read: EISDIR');
  });
});
