import type { TemplateCheckItem, TemplateChecklist } from './entities.ts';
import { ProjectLists } from './projects.ts';

/** Id of the user whose token the API accepts. */
export const API_USER_ID = 7001;

interface ItemAddress {
  readonly projectId: string;
  readonly checklistId: string;
  readonly itemId: string;
}

/**
 * The template checklists of each project, their items and their changes. Each change returns the
 * new checklist. A change of an item changes the checklist's version too.
 */
export class Checklists extends ProjectLists<TemplateChecklist> {
  create(projectId: string, { name }: Pick<TemplateChecklist, 'name'>): TemplateChecklist {
    const users = { creator_user_id: API_USER_ID, last_editor_user_id: API_USER_ID };
    return this.list(projectId).add((id, time) => ({
      ...{ id, project_id: projectId, name, ...users, template_check_items: [] },
      ...newlyMade(time),
    }));
  }

  addItem(
    projectId: string,
    checklistId: string,
    { name }: Pick<TemplateCheckItem, 'name'>,
  ): TemplateChecklist {
    const id = this.changeLog.newId();
    const address = { id, template_checklist_id: checklistId, project_id: projectId };
    return this.list(projectId).revise(checklistId, ({ template_check_items: items }, time) => ({
      template_check_items: [...items, { ...address, name, ...newlyMade(time) }],
      device_updated_at: time,
    }));
  }

  /** @param change may delete the item, or restore it. */
  updateItem(
    { projectId, checklistId, itemId }: ItemAddress,
    change: (time: string) => Partial<TemplateCheckItem>,
  ): TemplateChecklist {
    return this.list(projectId).revise(checklistId, ({ template_check_items: items }, time) => ({
      template_check_items: items.map((item) =>
        item.id === itemId ? { ...item, ...change(time), updated_at: time } : item,
      ),
      device_updated_at: time,
    }));
  }
}

function newlyMade(time: string) {
  return {
    ...{ created_at: time, updated_at: time, deleted_at: null },
    ...{ device_created_at: time, device_updated_at: time, resolved_conflict: false },
  };
}
