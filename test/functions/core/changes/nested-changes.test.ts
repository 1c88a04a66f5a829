import { describe, expect, it } from 'vitest';
import { diff } from '../../../../functions/core/changes/diff.ts';
import type { Entity, JsonObject } from '../../../../functions/core/model/entity.ts';
import type { EntityState } from '../../../../functions/core/model/entity-state.ts';
import {
  detectNestedChanges,
  type ListOfParent,
} from '../../../../functions/core/changes/nested-changes.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { observe } from '../../../../functions/core/changes/observed-entity.ts';
import { intercept } from '../../../support/intercept.ts';
import { at } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { entity } from '../../../support/site.ts';
import { nestedLists, type NestedList } from '../../../../functions/core/changes/nested-lists.ts';

const FEED = 'projects/p/template_checklists';
const { projects, perProject } = makeCatalog();
const checklists = perProject.find(({ name }) => name === 'template_checklists') ?? projects;
const parentKey = {
  key: 'template_checklist#c',
  entity: 'template_checklist',
  id: 'c',
  subject: '/projects/p/template_checklists/c',
};
const parent: Entity = { id: 'c', updated_at: at(10) };

/** The list of check items that a checklist shows. */
function listOf(items: readonly JsonObject[]): NestedList {
  const shown = { ...parent, template_check_items: items };
  const [list] = nestedLists(checklists, shown, parentKey.subject);
  if (list === undefined) throw new Error('no list was shown');
  return list;
}

/** A checklist that shows items, seen anew or known from before under another list. */
function ofParent(items: readonly JsonObject[], isKnown: boolean): ListOfParent {
  const seen = observe(parentKey, parent);
  return {
    parent: seen,
    knownParent: isKnown ? diff(undefined, seen, true).known : undefined,
    list: listOf(items),
  };
}

/** A store that knows items `i` and `k` of the checklist, and what it was asked for. */
async function knowingStore() {
  const memory = new MemoryStore();
  const known = ['i', 'k'].map((id): EntityState => ({
    key: `template_check_item#c#${id}`,
    version: at(5),
    sequence: at(5),
    deleted: false,
    content: entity(id, 5),
  }));
  await memory.saveStates(FEED, known);
  const asked: unknown[] = [];
  const store = intercept(memory, ({ name, parameters, proceed }) => {
    if (name === 'loadChildStates' || String(parameters[1]) !== '') asked.push(parameters[1]);
    return proceed();
  });
  return { store, asked };
}

async function actionsOf(list: ListOfParent, silent: boolean): Promise<string[]> {
  const { store } = await knowingStore();
  const { verdicts } = await detectNestedChanges(FEED, [list], store, silent);
  return verdicts.flatMap(({ change }) => (change ? [`${change.action} ${change.id}`] : []));
}

describe('the digest of a nested list', () => {
  const item: JsonObject = { id: 'i', updated_at: at(5), deleted_at: at(5) };
  const { digest } = listOf([item]);

  it.each([
    ['another item', [{ ...item, id: 'k' }]],
    ['another version of an item', [{ ...item, updated_at: at(6) }]],
    ['an item that is deleted no more', [{ ...item, deleted_at: null }]],
    ['a further item', [item, { ...item, id: 'k' }]],
    ['a further item that cannot be read', [item, { id: 'not/usable' }]],
    ['no item', []],
    [
      'an item whose id only runs on like a version',
      [{ id: `i${at(5)}`, updated_at: at(5), deleted_at: null }],
    ],
  ])('differs for %s', (_, items) => {
    expect(listOf(items).digest).not.toBe(digest);
  });

  it('is the same though other fields of an item differ', () => {
    expect(listOf([{ ...item, photo_url: 'signed again' }]).digest).toBe(digest);
  });

  it('is the same for an item that is not deleted and one that says nothing of it', () => {
    const { deleted_at, ...silent } = item;
    expect(deleted_at).toBeDefined();
    expect(listOf([silent]).digest).toBe(listOf([{ ...item, deleted_at: null }]).digest);
  });
});

describe('an item that is missing from its list', () => {
  const withoutK = [entity('i', 5)];

  it('was deleted if its parent was known, even while the baseline goes on', async () => {
    expect(await actionsOf(ofParent(withoutK, true), false)).toEqual(['deleted k']);
    expect(await actionsOf(ofParent(withoutK, true), true)).toEqual(['deleted k']);
  });

  it('was deleted though its parent is not known yet, since its event may be out', async () => {
    expect(await actionsOf(ofParent(withoutK, false), false)).toEqual(['deleted k']);
  });

  it('is nothing to a baseline that meets its parent for the first time', async () => {
    expect(await actionsOf(ofParent(withoutK, false), true)).toEqual([]);
  });

  it('may be the one that cannot be read', async () => {
    const items = [...withoutK, { id: 'k', updated_at: 'now' }];
    expect(await actionsOf(ofParent(items, true), false)).toEqual([]);
  });
});

describe('the store', () => {
  it('is asked for the whole list where items may be missing, and not for each item besides', async () => {
    const { store, asked } = await knowingStore();
    await detectNestedChanges(FEED, [ofParent([entity('i', 5)], true)], store, false);
    expect(asked).toEqual(['template_check_item#c#']);
  });

  it('is asked for the items that are shown where none can be missing', async () => {
    const { store, asked } = await knowingStore();
    await detectNestedChanges(FEED, [ofParent([entity('i', 5)], false)], store, true);
    expect(asked).toEqual([['template_check_item#c#i']]);
  });
});
