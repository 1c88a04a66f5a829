/**
 * The built-in lists of tests, in place of those of `functions/core/model/built-in-lists.ts`: a
 * list that is added there breaks no test but those of its documents.
 */
export const BUILT_IN_LISTS = [
  { name: 'projects', entity: 'project', path: '/projects' },
  {
    name: 'floorplans',
    entity: 'floorplan',
    path: '/projects/{project_id}/floorplans',
    nested: [
      {
        // The spec does not show its name.
        fields: ['current_sheet', 'active_sheet', 'sheet', 'sheets'],
        name: 'sheets',
        entity: 'sheet',
        holds: 'current',
        idField: 'current_sheet_id',
        leftOutSince: '2021-03-30',
        shownBy: { withCurrentSheet: { with_current_sheet: 'true' } },
      },
    ],
  },
  {
    name: 'template_checklists',
    entity: 'template_checklist',
    path: '/projects/{project_id}/template_checklists',
    nested: [
      {
        fields: ['template_check_items'],
        name: 'template_check_items',
        entity: 'template_check_item',
        holds: 'list',
        leftOutSince: '2021-04-15',
      },
    ],
  },
] as const;
