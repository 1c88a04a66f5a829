import { entityKey, type EntityKey } from '../../../functions/core/model/entity-state.ts';

const WORDS: Readonly<Record<string, string>> = {
  projects: 'project',
  floorplans: 'floorplan',
  template_checklists: 'template_checklist',
  template_check_items: 'template_check_item',
  sheets: 'sheet',
};

/** The feed and key of the entity of a subject. */
export function placeOf(subject: string): { readonly feedId: string; readonly key: EntityKey } {
  const [, ...segments] = subject.split('/');
  const names = segments.filter((_, i) => i % 2 === 0);
  const ids = segments.filter((_, i) => i % 2 === 1);
  const word = WORDS[names.at(-1) ?? ''] ?? '';
  const [id = '', parent] = ids.toReversed();
  if (names.length === 1) return { feedId: 'projects', key: entityKey(word, id) };
  const feedId = segments.slice(0, 3).join('/');
  return { feedId, key: names.length === 2 ? entityKey(word, id) : entityKey(word, id, parent) };
}
