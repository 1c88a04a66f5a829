import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeEvent } from '../../../docs/examples/describe-event.ts';
import { eventOf } from '../../support/samples.ts';

const readNothing = (): Promise<string> => Promise.reject(new Error('nothing is large here'));

test('an event is told by its type', async () => {
  const event = eventOf('a');
  expect(await describeEvent(JSON.stringify(event), readNothing)).toBe('North: name');
  const deleted = {
    ...event,
    type: 'project.deleted',
    dataschema: 'urn:sitecast:schema:project.deleted:1',
  };
  expect(await describeEvent(JSON.stringify(deleted), readNothing)).toBe('North is gone');
});

test('an event that is large is read where it lies', async () => {
  const { data: _, ...attributes } = eventOf('a');
  const reference = { ...attributes, dataref: 's3://bucket/events/1.json' };
  const read = (dataref: string) => {
    expect(dataref).toBe(reference.dataref);
    return Promise.resolve(JSON.stringify(eventOf('a')));
  };
  expect(await describeEvent(JSON.stringify(reference), read)).toBe('North: name');
});

test('an event of an unknown type is left alone', async () => {
  const later = { ...eventOf('a'), type: 'floorplan.updated.v2' };
  expect(await describeEvent(JSON.stringify(later), readNothing)).toBeUndefined();
});

test('the code in the guide is that of the examples', async () => {
  const guide = await readFile('docs/subscribing.md', 'utf8');
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(0);
  const examples = await Promise.all(
    (await Array.fromAsync(glob('docs/examples/*.ts'))).map((path) => readFile(path, 'utf8')),
  );
  for (const block of blocks) {
    const lines = block.split('\n').map((line) => line.trim());
    const isThere = examples.some((example) =>
      example
        .split('\n')
        .map((line) => line.trim())
        .join('\n')
        .includes(lines.join('\n').trim()),
    );
    expect(isThere, block).toBe(true);
  }
});
