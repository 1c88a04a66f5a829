import fc from 'fast-check';
import { oneOf, someInOneOf, type Made } from './arbitraries.ts';
import { command, deployment, loss, outage, throttling } from './mishaps.ts';
import { step } from './steps.ts';
import { notifierTraits, serviceTraits } from './traits.ts';

/** Any history: everything that determines a simulation. */
export const histories = fc.record({
  service: serviceTraits,
  notifier: notifierTraits,
  /** Initial number of projects, and of floorplans and checklists in each. */
  projects: oneOf(1, 1, 1, 1, 1, 1, 2, 2, 2, 5),
  floorplans: fc.nat({ max: 4 }),
  checklists: oneOf(0, 1, 2, 2),
  /** Whether no entity is imported, dated ahead or invalid: then quiet runs must be free. */
  isPlain: fc.boolean(),
  /** Whether a run starts before the first step. */
  startsAtOnce: fc.constantFrom(true, true, false),
  steps: fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
  /** Seed of the duration of calls and of the halves of batches. */
  luck: fc.nat(),
  outages: someInOneOf(3, outage, 2),
  throttling: someInOneOf(8, throttling, 1),
  deployments: someInOneOf(4, deployment, 4),
  commands: someInOneOf(2, command, 10),
  losses: someInOneOf(2, loss, 4),
});
export type History = Made<typeof histories>;

/** Whether something goes without a trace: then all lists are reconciled in the end. */
export function hasLosses({ losses }: History): boolean {
  return losses.length > 0;
}
