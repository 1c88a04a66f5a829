import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { EntityState } from '../../../functions/core/model/entity-state.ts';

/** An event that was published or quarantined. */
export interface Delivery {
  readonly event: ChangeEvent;
  /** The run that published it. */
  readonly run: number;
  /** The saved state of its entity at that time. */
  readonly prior: EntityState | undefined;
  /** True when the topic refused it. */
  readonly isQuarantined: boolean;
}
