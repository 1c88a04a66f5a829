import { WorldError, type ChangeLog } from './change-log.ts';
import type { TemplateCheckItem, TemplateChecklist } from './entities.ts';
import { ProjectLists } from './project-lists.ts';
import type { Projects } from './projects.ts';

/** Field of a checklist or an item that clients may set. */
interface NameField {
  readonly name: string;
}

/** Address of a template check item. */
interface ItemAddress {
  readonly projectId: string;
  readonly checklistId: string;
  readonly itemId: string;
}

/**
 * The template checklists of each project, their items and their changes. Each change returns the
 * new checklist. A change of an item changes the checklist's version too.
 */
export class TemplateChecklists extends ProjectLists<TemplateChecklist> {
  constructor(changeLog: ChangeLog, projects: Projects) {
    super(changeLog, projects, 'template checklist');
  }

  create(projectId: string, { name }: NameField, userId: number): TemplateChecklist {
    return this.changeLog.add(this.listForChange(projectId), (id, time) => ({
      id,
      project_id: projectId,
      name,
      creator_user_id: userId,
      last_editor_user_id: userId,
      template_check_items: [],
      ...newlyMade(time),
    }));
  }

  update(
    projectId: string,
    id: string,
    fields: Partial<NameField>,
    userId: number,
  ): TemplateChecklist {
    const { list, row } = this.alive(projectId, id);
    return this.changeLog.edit(list, row, fields, (time) => editedBy(userId, time));
  }

  addItem(projectId: string, id: string, { name }: NameField, userId: number): TemplateChecklist {
    const itemId = this.changeLog.newId();
    return this.#changeItems(projectId, id, userId, (items, time) => [
      ...items,
      {
        id: itemId,
        template_checklist_id: id,
        project_id: projectId,
        name,
        ...newlyMade(time),
      },
    ]);
  }

  updateItem(address: ItemAddress, fields: NameField, userId: number): TemplateChecklist {
    const { checklist, item } = this.#item(address);
    if (item.deleted_at !== null) {
      throw new WorldError('deleted', `the template check item with id ${item.id} is deleted`);
    }
    if (item.name === fields.name) return checklist;
    return this.#changeItem(address, userId, (time) => ({ ...fields, device_updated_at: time }));
  }

  removeItem(address: ItemAddress, userId: number): TemplateChecklist {
    const { checklist, item } = this.#item(address);
    if (item.deleted_at !== null) return checklist;
    return this.#changeItem(address, userId, (time) => ({ deleted_at: time }));
  }

  restoreItem(address: ItemAddress, userId: number): TemplateChecklist {
    const { checklist, item } = this.#item(address);
    if (item.deleted_at === null) return checklist;
    return this.#changeItem(address, userId, () => ({ deleted_at: null }));
  }

  #item({ projectId, checklistId, itemId }: ItemAddress) {
    const { row: checklist } = this.alive(projectId, checklistId);
    const item = checklist.template_check_items.find(({ id }) => id === itemId);
    if (item === undefined) {
      throw new WorldError('not_found', `there is no template check item with id ${itemId}`);
    }
    return { checklist, item };
  }

  #changeItem(
    { projectId, checklistId, itemId }: ItemAddress,
    userId: number,
    change: (time: string) => Partial<TemplateCheckItem>,
  ): TemplateChecklist {
    return this.#changeItems(projectId, checklistId, userId, (items, time) =>
      items.map((item) =>
        item.id === itemId ? { ...item, ...change(time), updated_at: time } : item,
      ),
    );
  }

  #changeItems(
    projectId: string,
    id: string,
    userId: number,
    change: (items: readonly TemplateCheckItem[], time: string) => TemplateCheckItem[],
  ): TemplateChecklist {
    const { list, row } = this.alive(projectId, id);
    return this.changeLog.revise(list, row, (time) => ({
      template_check_items: change(row.template_check_items, time),
      ...editedBy(userId, time),
    }));
  }
}

function newlyMade(time: string) {
  return {
    created_at: time,
    updated_at: time,
    deleted_at: null,
    device_created_at: time,
    device_updated_at: time,
    resolved_conflict: false,
  };
}

function editedBy(userId: number, time: string): Partial<TemplateChecklist> {
  return { last_editor_user_id: userId, device_updated_at: time };
}
