import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { checkEventFilter } from '../../../infra/cli/commands/listen/check-event-filter.ts';
import { FIELDS } from '../../../infra/config/event-words.ts';

const PROJECT = '876c7fcc-4f08-4090-945e-d20f16c243ec';

describe('the events to listen to', () => {
  it('may have additional types', () => {
    const filter = {
      type: ['floorplan.updated', 'rfi.created'],
      project: PROJECT,
      changed: ['name'],
    };
    expect(checkEventFilter(filter)).toEqual([]);
    expect(checkEventFilter({ project: '17' })).toEqual([]);
  });

  it.each<[object, string]>([
    [
      { type: ['floorpan.updated'] },
      'No built-in event has the type "floorpan.updated". Did you mean floorplan.updated?',
    ],
    [{ project: 'nope' }, 'No project has the id "nope": ids of projects are UUIDs or integers.'],
    [
      { changed: ['nmae'] },
      'No field "nmae" of the built-in entities is known. Did you mean name?',
    ],
    [{ changed: ['foo'] }, 'No field "foo" of the built-in entities is known.'],
    [
      { type: ['floorplan.created'], changed: ['name'] },
      'No event of something created names changed fields: leave out --changed.',
    ],
    [
      { type: ['sheet.updated'] },
      'Events of sheets come only if the config has withCurrentSheet, or a serviceVersion before 2021-03-30.',
    ],
    [
      { type: ['template_check_item.created', 'template_check_item.deleted'] },
      'Events of checklist items come only if the config has a serviceVersion before 2021-04-15.',
    ],
    [{ changed: ['updated_at'] }, 'No event names updated_at as changed: it always is.'],
  ])('are doubtful: %j', (filter, warning) => {
    expect(checkEventFilter(filter)).toEqual([warning]);
  });

  it.each(['foo', 'floorplan', 'floorplan.update'])('cannot have the type %s', (type) => {
    expect(() => checkEventFilter({ type: [type] })).toThrow(
      /^--type is ".*"; allowed: a type of events, which ends in \.created, /,
    );
  });

  it('may name each field of the schemas', async () => {
    const files = await Array.fromAsync(glob('docs/events/schemas/data/*.created.json'));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const fields = texts.flatMap((text) => {
      const schema = JSON.parse(text) as {
        $defs: Record<string, { properties: object }>;
        properties: { object: { $ref: string } };
      };
      const entity = schema.properties.object.$ref.split('/').slice(-1).join();
      return Object.keys(schema.$defs[entity]?.properties ?? {});
    });
    expect(FIELDS).toEqual(expect.arrayContaining(fields));
  });
});
