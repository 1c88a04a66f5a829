import { count, newExploration, type Exploration } from './explore.ts';
import type { History } from './history/history.ts';
import type { Act, ChangeKind, Step } from './history/steps.ts';
import { violationsOf } from './invariants/invariants.ts';
import type { CrashPoint } from './world/process.ts';
import { simulate } from './world/simulate.ts';
import type { Outcome } from './world/world.ts';

const change = (what: ChangeKind, which = 0, late = 0): Act => ({
  kind: 'change',
  what,
  which,
  late,
});
const tick: Act = { kind: 'tick', faults: [], againAfterMs: 0 };
const at = (afterMs: number, ...acts: readonly Act[]): Step[] =>
  acts.map((act, i) => ({ afterMs: i === 0 ? afterMs : 20, act }));

/**
 * A history with everything that a run can meet: a baseline, all kinds of changes, nested ones too,
 * ties over pages, late commits, invalid entities, lists that are refused and come back, projects
 * that come, go and return, and two shards for a while.
 */
export const RICH_HISTORY: History = {
  service: {
    filter: '>',
    tieOrder: 'by id',
    cursorHeader: 'last item',
    emptyPageCursor: 'echo',
    dates: 'always',
    skewMs: 420_000,
    roundMs: 1,
    lagMs: 0,
    deletedProjectLists: 'answer',
    deletedItems: 'left_out',
    lostPermission: 'refused',
    shown: 'as stored',
    strangers: 0,
  },
  notifier: {
    perPage: 3,
    lookbackMs: 60_000,
    concurrency: 2,
    pagesPerTurn: 2,
    baseline: 'silent',
    timeLimitMs: 55_000,
    sheets: true,
    groupSize: 1,
    pollEverySeconds: 0,
    requestsPerRun: 9,
    staleMs: 0,
  },
  projects: 1,
  floorplans: 4,
  checklists: 1,
  isPlain: false,
  startsAtOnce: false,
  luck: 7,
  outages: [],
  throttling: [],
  deployments: [
    { beforeStep: 29, shardCount: 2, ticksBefore: 0, ticksAfter: 1 },
    { beforeStep: 35, shardCount: 1, ticksBefore: 1, ticksAfter: 1 },
  ],
  commands: [
    { beforeStep: 18, name: 'quarantine', scope: 'all', which: 0, minutesBack: 1 },
    { beforeStep: 25, name: 'pause', scope: 'project', which: 1, minutesBack: 1 },
    { beforeStep: 27, name: 'replay', scope: 'all', which: 0, minutesBack: 20 },
    { beforeStep: 28, name: 'resume', scope: 'project', which: 1, minutesBack: 1 },
    { beforeStep: 28, name: 'rewind', scope: 'all', which: 0, minutesBack: 20 },
  ],
  losses: [
    { beforeStep: 22, what: 'destroy floorplan', which: 1 },
    { beforeStep: 33, what: 'reconcile', which: 0 },
  ],
  steps: [
    ...at(0, tick),
    ...at(60_000, change('create project'), change('import floorplans', 0, 0.5)),
    ...at(1_000, change('rename floorplan', 1), change('remove floorplan', 2)),
    ...at(1_000, change('add item'), change('add item'), change('replace sheet', 3)),
    ...at(1_000, change('create checklist', 1), change('break floorplan'), tick),
    ...at(150, change('rename project', 0, 0.2), change('touch floorplan', 4)),
    ...at(60_000, change('remove floorplan', 2), change('remove item', 1), tick),
    ...at(60_000, change('hide item'), change('rename item', 2), change('hide project', 1)),
    ...at(100, change('remove project'), tick),
    ...at(60_000, change('hide item'), change('remove project'), change('remove checklist')),
    ...at(100, change('hide project', 1), change('remove sheet', 3), tick),
    ...at(60_000, change('return sheet', 3), tick),
    ...at(60_000, change('create project'), change('rename project'), tick),
    ...at(60_000, change('remove project', 2), change('rename floorplan'), tick),
    ...at(60_000, change('remove project', 2), change('create floorplan', 2), tick, tick),
    ...at(
      60_000,
      change('create project'),
      change('create floorplan', 3),
      change('remove project', 3),
    ),
    ...at(1_000, change('create checklist', 3), tick),
    ...at(60_000, change('remove project', 3), tick, tick),
  ],
};

/** A point at which a process dies, and the beginning of {@link RICH_HISTORY} that is simulated. */
export interface Crash {
  readonly point: CrashPoint;
  readonly stepCount: number;
}

/** Steps after the crash. Later ones meet a table that whole runs have put in order. */
const STEPS_AFTER = 12;

/**
 * Every point at which a process can die before the last step of {@link RICH_HISTORY}: before each
 * call, and within those of batches. To die after an answer is to die before the next call.
 *
 * @param whole the outcome of that history.
 */
export function allCrashes({ batches, callsBeforeSteps }: Outcome): Crash[] {
  const last = callsBeforeSteps.at(-1) ?? 0;
  const calls = Array.from({ length: last }, (_, i) => i + 1);
  return calls.flatMap((call) => {
    const stepCount = callsBeforeSteps.filter((before) => before < call).length + STEPS_AFTER;
    const whens = batches.includes(call) ? (['before', 'half'] as const) : (['before'] as const);
    return whens.map((when) => ({ point: { call, when }, stepCount }));
  });
}

/** Simulates each crash, and judges the outcome. */
export async function tryCrashes(crashes: readonly Crash[]): Promise<Exploration> {
  const found = newExploration();
  for (const { point, stepCount } of crashes) {
    const outcome = await simulate(beginningOf(RICH_HISTORY, stepCount), point);
    count(outcome, found);
    const broken = violationsOf(outcome);
    const { history } = outcome;
    if (broken.length > 0)
      found.violations.push({ origin: { crashPoint: point }, broken, history });
  }
  return found;
}

/** The first steps of a history, and the events before them. */
function beginningOf(history: History, stepCount: number): History {
  const thoseIn = <T extends { readonly beforeStep: number }>(all: readonly T[]): T[] =>
    all.filter(({ beforeStep }) => beforeStep < stepCount);
  return {
    ...history,
    steps: history.steps.slice(0, stepCount),
    deployments: thoseIn(history.deployments),
    commands: thoseIn(history.commands),
    losses: thoseIn(history.losses),
  };
}
