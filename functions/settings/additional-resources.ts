import * as z from 'zod/mini';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import { matching } from './schema.ts';

const WORD = /^[a-z][a-z0-9_]*$/;
const A_WORD = 'a word of lower-case letters, digits and _ that starts with a letter';

const { projects, perProject } = makeCatalog();
const BUILT_IN = [projects, ...perProject];

const additionalResource = z.strictObject(
  {
    name: matching(WORD, A_WORD).check(
      otherThan(
        BUILT_IN.map(({ name }) => name),
        'name',
      ),
    ),
    entity: matching(WORD, A_WORD),
    path: matching(
      /^\/projects\/\{project_id\}(\/[A-Za-z0-9_-]+)+$/,
      'a path that starts with /projects/{project_id}/',
    ).check(
      otherThan(
        BUILT_IN.map(({ path }) => path),
        'path',
      ),
    ),
  },
  { error: 'the fields name, entity, path' },
);

function otherThan(taken: readonly string[], noun: string) {
  return z.refine<string>((value) => !taken.includes(value), {
    error: `a ${noun} other than ${taken.join(', ')}`,
  });
}

/**
 * Lists polled besides the built-in ones. Two of one path would be one feed, and two of one name
 * could not be told apart.
 */
export const additionalResources = z
  .array(additionalResource, { error: 'a JSON list of objects with name, entity and path' })
  .check(
    z.superRefine(
      (resources, context) => {
        for (const key of ['name', 'path'] as const) {
          for (const index of repeated(resources, key)) {
            const message = `a ${key} that no other entry has`;
            context.addIssue({ code: 'custom', path: [index, key], message });
          }
        }
      },
      // Also when an entry is wrong, so that all problems are told at once.
      { when: ({ value }) => Array.isArray(value) },
    ),
  );

/** Where a text stands again under a key. The items may be anything yet. */
function repeated(items: readonly unknown[], key: string): number[] {
  const texts = items.map((item) => (item as Record<string, unknown> | null)?.[key]);
  return [...texts.keys()].filter(
    (index) => typeof texts[index] === 'string' && texts.indexOf(texts[index]) < index,
  );
}
