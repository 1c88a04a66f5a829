import type { Sabotage } from './sabotage.ts';
import { CHANGES_SABOTAGES } from './sabotages/changes.ts';
import { COMMANDS_SABOTAGES } from './sabotages/commands.ts';
import { FEEDS_SABOTAGES } from './sabotages/feeds.ts';
import { PAGING_SABOTAGES } from './sabotages/paging.ts';
import { RUNS_SABOTAGES } from './sabotages/runs.ts';

/** Faults that the simulation must find. */
export const SABOTAGES: readonly Sabotage[] = [
  ...PAGING_SABOTAGES,
  ...CHANGES_SABOTAGES,
  ...FEEDS_SABOTAGES,
  ...RUNS_SABOTAGES,
  ...COMMANDS_SABOTAGES,
];
