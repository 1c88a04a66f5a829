import type { Action, EntityName, EventType } from '../../functions/core/contract/index.ts';
import { events } from '../../functions/core/contract/schemas.ts';

/** An event type and what it is made of. */
export interface TypeWords {
  readonly type: EventType;
  readonly entity: EntityName;
  readonly action: Action;
  /** When it is raised, as a sentence. */
  readonly raised: string;
}

/** In a sentence, where its words do not say what it belongs to. */
const NOUNS: Readonly<Record<string, string>> = {
  template_check_item: 'item of a template checklist',
  sheet: 'current sheet of a floorplan',
};

/** The name of the interface of an entity, and so of its schema. */
export function interfaceOf(entity: EntityName): string {
  return pascalCase(entity);
}

/** `TemplateChecklist` for `template_checklist`. */
export function pascalCase(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** All event types, those of an entity together. */
export function typeWords(): TypeWords[] {
  return [...events.keys()].map((text) => {
    const type = text;
    const [entity, action] = type.split('.') as [EntityName, Action];
    return { type, entity, action, raised: raisedWhen(entity, action) };
  });
}

function raisedWhen(entity: EntityName, action: Action): string {
  const noun = NOUNS[entity] ?? entity.replaceAll('_', ' ');
  const a = /^[aeiou]/.test(noun) ? 'An' : 'A';
  switch (action) {
    case 'created':
      return entity === 'sheet'
        ? 'A sheet is the current one of a floorplan that was not seen there before.'
        : `${a} ${noun} is seen for the first time and is not deleted.`;
    case 'updated':
      return `${a} ${noun} has a later \`updated_at\` than was known, and is as deleted as it was.`;
    case 'deleted':
      return entity === 'template_check_item'
        ? `${a} ${noun} has a \`deleted_at\` that it had not, or is gone from its checklist.`
        : `${a} ${noun} has a \`deleted_at\` that it had not, or is seen for the first time with one.`;
    case 'restored':
      return entity === 'template_check_item'
        ? `A deleted ${noun} has no \`deleted_at\` any more, or is back in its checklist.`
        : `A deleted ${noun} has no \`deleted_at\` any more.`;
  }
}
