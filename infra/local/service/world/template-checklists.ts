import type { Collection } from './collection.ts';
import type { TemplateChecklist, TemplateCheckItem } from './entities.ts';
import { WorldError } from './errors.ts';
import { findEntity, findAliveEntity, type ChangeLog } from './change-log.ts';
import { ProjectLists } from './project-lists.ts';
import type { Projects } from './projects.ts';

/** Field of a checklist or an item that clients may set. */
export interface NameField {
  readonly name: string;
}

const KIND = 'template checklist';

/**
 * The template checklists of each project, their items and their changes. Each change returns the
 * new checklist. A change of an item changes the checklist's version too.
 */
export class TemplateChecklists {
  readonly #changeLog: ChangeLog;
  readonly #lists: ProjectLists<TemplateChecklist>;

  constructor(changeLog: ChangeLog, projects: Projects) {
    this.#changeLog = changeLog;
    this.#lists = new ProjectLists(changeLog, projects);
  }

  /** @throws WorldError when there is no such project. */
  list(projectId: string): Collection<TemplateChecklist> {
    return this.#lists.of(projectId);
  }

  create(projectId: string, fields: NameField, userId: number): TemplateChecklist {
    return this.#changeLog.add(this.#lists.listForChange(projectId), (id, time) => ({
      id,
      project_id: projectId,
      name: fields.name,
      creator_user_id: userId,
      last_editor_user_id: userId,
      template_check_items: [],
      created_at: time,
      updated_at: time,
      deleted_at: null,
      device_created_at: time,
      device_updated_at: time,
      resolved_conflict: false,
    }));
  }

  update(
    projectId: string,
    id: string,
    fields: Partial<NameField>,
    userId: number,
  ): TemplateChecklist {
    const list = this.#lists.listForChange(projectId);
    return this.#changeLog.edit(list, findAliveEntity(list, KIND, id), fields, editedBy(userId));
  }

  remove(projectId: string, id: string): TemplateChecklist {
    const list = this.#lists.listForChange(projectId);
    return this.#changeLog.remove(list, findEntity(list, KIND, id));
  }

  restore(projectId: string, id: string): TemplateChecklist {
    const list = this.#lists.listForChange(projectId);
    return this.#changeLog.restore(list, findEntity(list, KIND, id));
  }

  addItem(projectId: string, id: string, fields: NameField, userId: number): TemplateChecklist {
    const itemId = this.#changeLog.newId();
    return this.#changeItems(projectId, id, userId, (items, time) => [
      ...items,
      {
        id: itemId,
        template_checklist_id: id,
        project_id: projectId,
        name: fields.name,
        created_at: time,
        updated_at: time,
        deleted_at: null,
        device_created_at: time,
        device_updated_at: time,
        resolved_conflict: false,
      },
    ]);
  }

  /** @param at names the project, the checklist and the item. */
  updateItem(at: ItemAddress, fields: NameField, userId: number): TemplateChecklist {
    const { checklist, item } = this.#item(at);
    if (item.deleted_at !== null) {
      throw new WorldError('deleted', `the template check item with id ${item.id} is deleted`);
    }
    if (item.name === fields.name) return checklist;
    return this.#changeItem(at, userId, (time) => ({ ...fields, device_updated_at: time }));
  }

  /** @param at names the project, the checklist and the item. */
  removeItem(at: ItemAddress, userId: number): TemplateChecklist {
    const { checklist, item } = this.#item(at);
    if (item.deleted_at !== null) return checklist;
    return this.#changeItem(at, userId, (time) => ({ deleted_at: time }));
  }

  /** @param at names the project, the checklist and the item. */
  restoreItem(at: ItemAddress, userId: number): TemplateChecklist {
    const { checklist, item } = this.#item(at);
    if (item.deleted_at === null) return checklist;
    return this.#changeItem(at, userId, () => ({ deleted_at: null }));
  }

  #item(at: ItemAddress): { checklist: TemplateChecklist; item: TemplateCheckItem } {
    const checklist = findAliveEntity(
      this.#lists.listForChange(at.projectId),
      KIND,
      at.checklistId,
    );
    const item = checklist.template_check_items.find(({ id }) => id === at.itemId);
    if (item === undefined) {
      throw new WorldError('not_found', `there is no template check item with id ${at.itemId}`);
    }
    return { checklist, item };
  }

  #changeItem(
    at: ItemAddress,
    userId: number,
    change: (time: string) => Partial<TemplateCheckItem>,
  ): TemplateChecklist {
    return this.#changeItems(at.projectId, at.checklistId, userId, (items, time) =>
      items.map((item) =>
        item.id === at.itemId ? { ...item, ...change(time), updated_at: time } : item,
      ),
    );
  }

  #changeItems(
    projectId: string,
    id: string,
    userId: number,
    change: (items: readonly TemplateCheckItem[], time: string) => TemplateCheckItem[],
  ): TemplateChecklist {
    const list = this.#lists.listForChange(projectId);
    const checklist = findAliveEntity(list, KIND, id);
    return this.#changeLog.revise(list, checklist, (time) => ({
      template_check_items: change(checklist.template_check_items, time),
      ...editedBy(userId)(time),
    }));
  }
}

/** Address of a template check item. */
export interface ItemAddress {
  readonly projectId: string;
  readonly checklistId: string;
  readonly itemId: string;
}

function editedBy(userId: number) {
  return (time: string): Partial<TemplateChecklist> => ({
    last_editor_user_id: userId,
    device_updated_at: time,
  });
}
