/** A message attribute of SNS that an event has. */
export interface MessageAttribute {
  readonly name: string;
  readonly type: 'String' | 'String.Array';
  readonly description: string;
  /** Absent when it is always there. */
  readonly absent?: string;
}

/** The attributes that repeat parts of the event for filter policies. */
export const MESSAGE_ATTRIBUTES: readonly MessageAttribute[] = [
  { name: 'type', type: 'String', description: 'The `type` of the event: `floorplan.updated`.' },
  { name: 'entity', type: 'String', description: 'The kind of entity: `floorplan`.' },
  {
    name: 'action',
    type: 'String',
    description: 'What happened: `created`, `updated`, `deleted` or `restored`.',
  },
  {
    name: 'project_id',
    type: 'String',
    description: 'The `projectid` of the event.',
    absent: 'where it is not known',
  },
  {
    name: 'account_id',
    type: 'String',
    description: 'The `accountid` of the event, as text.',
    absent: 'where it is not known',
  },
  {
    name: 'cause',
    type: 'String',
    description: 'The `cause` of the event: `poll`, `replay` or `reconcile`.',
  },
  {
    name: 'changed',
    type: 'String.Array',
    description:
      'The names of `data.changed` as a JSON array, of which a filter matches each. Where not all fit beside the event, the first ones and then `*`: a filter that has `*`, too, misses nothing.',
    absent: 'when nothing changed, as for what was created',
  },
];
