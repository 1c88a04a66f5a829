import { describe, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type {
  ChangeData,
  ChangeEvent,
  ChangeEventOf,
  ClaimCheckEvent,
  EventAttributes,
  EventType,
  Floorplan,
  AdditionalChangeEvent,
  AdditionalType,
  Project,
} from '../../../../functions/core/contract/index.ts';
import type { events } from '../../../../functions/core/contract/schemas.ts';

// The compiler does the work: `npm run lint:code`.
describe('the types of the contract', () => {
  it('are those of the schemas', () => {
    type Event =
      typeof events extends ReadonlyMap<string, infer Schema>
        ? z.infer<Schema & z.ZodMiniType>
        : never;
    type Attributes = keyof EventAttributes<EventType>;
    expectTypeOf<Omit<Pick<Readonly<Event>, Attributes>, 'type'>>().toEqualTypeOf<
      Omit<EventAttributes<EventType>, 'type'>
    >();
  });

  it('narrow the entity by the type of the event', () => {
    const take = (event: ChangeEvent) => {
      switch (event.type) {
        case 'floorplan.updated':
          expectTypeOf(event).toEqualTypeOf<ChangeEventOf<'floorplan.updated'>>();
          expectTypeOf(event.data.object).toEqualTypeOf<Floorplan>();
          expectTypeOf(event.data.previous).toEqualTypeOf<
            Readonly<Partial<Floorplan>> | undefined
          >();
          break;
        case 'project.created':
        case 'project.updated':
          expectTypeOf(event.data.object).toEqualTypeOf<Project>();
          expectTypeOf(event.data.object.account_id).toEqualTypeOf<number | undefined>();
          break;
        default:
          expectTypeOf<AdditionalChangeEvent>().toExtend<typeof event>();
          expectTypeOf(event.type).toExtend<string>();
      }
    };
    expectTypeOf(take).toBeFunction();
  });

  it('leave what is of another type when all known ones are dealt with', () => {
    type Left = Exclude<ChangeEvent, ChangeEventOf<EventType>>;
    expectTypeOf<Left>().toEqualTypeOf<AdditionalChangeEvent>();
    expectTypeOf<AdditionalChangeEvent['data']>().toEqualTypeOf<ChangeData>();
    expectTypeOf<AdditionalType>().toExtend<string>();
    expectTypeOf<EventType>().not.toExtend<AdditionalType>();
  });

  it('narrow a claim check by its dataref', () => {
    const take = (event: ChangeEvent | ClaimCheckEvent) => {
      if (event.dataref !== undefined) expectTypeOf(event).toEqualTypeOf<ClaimCheckEvent>();
      else expectTypeOf(event).toEqualTypeOf<ChangeEvent>();
    };
    expectTypeOf(take).toBeFunction();
  });
});
