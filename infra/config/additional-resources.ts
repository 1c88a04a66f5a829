import { fields, list, matching } from './schema.ts';

/** Names and paths of the lists that are always polled (spec, "Operations"). */
const BUILT_IN = ['projects', 'template_checklists', 'floorplans'];

/** Words in the types of their events, those of nested entities included. */
const BUILT_IN_ENTITIES = [
  'project',
  'floorplan',
  'template_checklist',
  'template_check_item',
  'sheet',
];

/** The poller is told of the list by its environment, for which Lambda has 4 KB in all. */
const MAX_BYTES = 2500;

const additionalResource = fields({
  /** Unique name of the list, other than the built-in ones: `checklists`. */
  name: matching(
    /^[a-z][a-z0-9_]{0,63}$/,
    'a name of at most 64 lower-case letters, digits and _ that starts with a letter',
  ).refine((name) => !BUILT_IN.includes(name), {
    error: `a name other than ${BUILT_IN.join(', ')}`,
  }),
  /**
   * The word in the event type, in the singular: `checklist` in `checklist.updated`. Unique, other
   * than the built-in ones.
   */
  entity: matching(
    /^[a-z][a-z0-9_]{0,63}$/,
    'a word of at most 64 lower-case letters, digits and _ that starts with a letter',
  ).refine((entity) => !BUILT_IN_ENTITIES.includes(entity), {
    error: `a word other than ${BUILT_IN_ENTITIES.join(', ')}`,
  }),
  /** Path of the list below `{base_url}/api/v3`: `/projects/{project_id}/checklists`. */
  path: matching(
    /^(?=.{1,200}$)\/projects\/\{project_id\}(\/[A-Za-z0-9_-]+)+$/,
    'a path of at most 200 characters that starts with /projects/{project_id}/',
  ).refine((path) => !BUILT_IN.includes(path.slice('/projects/{project_id}/'.length)), {
    error: 'a path that is not polled already',
  }),
});

/** Further lists of the same shape as the built-in ones; 2,500 bytes as JSON at most. */
export const additionalResources = list(
  additionalResource,
  'a list of objects with name, entity and path',
).superRefine(
  (resources, context) => {
    const bytes = Buffer.byteLength(JSON.stringify(resources));
    if (bytes > MAX_BYTES) {
      const message = `a list of at most ${MAX_BYTES} bytes as JSON, this one has ${bytes}`;
      context.addIssue({ code: 'custom', message });
    }
    for (const [key, noun] of [
      ['name', 'name'],
      ['entity', 'word'],
      ['path', 'path'],
    ] as const) {
      for (const index of repeated(resources, key)) {
        const message = `a ${noun} that no other entry has`;
        context.addIssue({ code: 'custom', path: [index, key], message });
      }
    }
  },
  // Also when an entry is wrong, so that all problems are told at once.
  { when: ({ value }) => Array.isArray(value) },
);

/** Where a text stands again under a key. The items may be anything yet. */
function repeated(items: readonly unknown[], key: string): number[] {
  const texts = items.map((item) => (item as Record<string, unknown> | null)?.[key]);
  return [...texts.keys()].filter(
    (index) => typeof texts[index] === 'string' && texts.indexOf(texts[index]) < index,
  );
}
