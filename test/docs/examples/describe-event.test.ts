import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { describeEvent } from '../../../docs/examples/describe-event.ts';
import { eventOf } from '../../support/samples.ts';

const readNothing = (): Promise<string> => Promise.reject(new Error('no event is large here'));

/** The lines without their indentation, which differs between the guide and the examples. */
const unindent = (text: string): string => text.trim().replace(/\n */g, '\n');

describe('describeEvent', () => {
  it.each([
    ['a known type', {}, 'North: name'],
    [
      'a delete',
      { type: 'project.deleted', dataschema: 'urn:sitecast:schema:project.deleted:1' },
      'North is gone',
    ],
    ['an unknown type', { type: 'floorplan.updated.v2' }, undefined],
  ])('describes %s', async (_, attributes, expected) => {
    const text = JSON.stringify({ ...eventOf('a'), ...attributes });
    expect(await describeEvent(text, readNothing)).toBe(expected);
  });

  it('reads a large event from the bucket', async () => {
    const { data: _, ...attributes } = eventOf('a');
    const claimCheck = { ...attributes, dataref: 's3://bucket/events/1.json' };
    const read = (dataref: string) => {
      expect(dataref).toBe(claimCheck.dataref);
      return Promise.resolve(JSON.stringify(eventOf('a')));
    };
    expect(await describeEvent(JSON.stringify(claimCheck), read)).toBe('North: name');
  });
});

it('each TypeScript block of the guide is part of an example', async () => {
  const guide = await readFile('docs/subscribing.md', 'utf8');
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => unindent(code));
  const paths = await Array.fromAsync(glob('docs/examples/*.ts'));
  const examples = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) {
    expect(
      examples.filter((example) => unindent(example).includes(block)),
      block,
    ).not.toEqual([]);
  }
});
