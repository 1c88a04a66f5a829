import * as z from 'zod/mini';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import { matching } from './field-types.ts';

const { projects, perProject } = makeCatalog();

/** Fields that polling reads of all entities, and that events need. */
const NEEDED = ['id', 'updated_at', 'deleted_at', 'project_id'];
/** Events have the account as an attribute. */
const NEEDED_OF_PROJECTS = ['account_id'];

const fieldName = matching(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'a name of 1 to 100 characters');

/** Names of fields, by the name of a list. */
export const omit = z
  .record(z.string(), z.array(fieldName, { error: 'a list of names of fields' }), {
    error: 'an object with one entry per list, by its name',
  })
  .check(
    z.superRefine((lists, context) => {
      for (const [list, fields] of Object.entries(lists)) {
        const needed = neededOf(list);
        const message = `a field other than ${needed.join(', ')}`;
        for (const [index, field] of fields.entries()) {
          if (!needed.includes(field)) continue;
          context.addIssue({ code: 'custom', path: [list, index], message });
        }
      }
    }),
  );

/** Fields that cannot be omitted from a list. */
function neededOf(list: string): string[] {
  const nested = perProject.find(({ name }) => name === list)?.nested ?? [];
  return [
    ...NEEDED,
    ...(list === projects.name ? NEEDED_OF_PROJECTS : []),
    ...nested.flatMap(({ fields }) => fields),
  ];
}
