import type { Sabotage } from './sabotage.ts';
import { CHANGES_SABOTAGES } from './sabotages/changes.ts';
import { COMMANDS_SABOTAGES } from './sabotages/commands.ts';
import { FEEDS_SABOTAGES } from './sabotages/feeds.ts';
import { LISTS_SABOTAGES } from './sabotages/lists.ts';
import { RUNS_SABOTAGES } from './sabotages/runs.ts';

/** Faults that the simulation must find. */
export const SABOTAGES: readonly Sabotage[] = [
  ...LISTS_SABOTAGES,
  ...CHANGES_SABOTAGES,
  ...FEEDS_SABOTAGES,
  ...RUNS_SABOTAGES,
  ...COMMANDS_SABOTAGES,
];
