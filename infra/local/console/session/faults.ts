import type { Fault } from '../../simulator/behaviour.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { ActiveFault, FaultName } from '../protocol.ts';

/** What a fault that was begun does, in words, and the entities that it has changed. */
export interface BegunFault {
  readonly text: string;
  readonly ids: readonly string[];
}

const API = '/api/*';
/** Requests of one poll of a list: four tries, and one with a new access token. */
const TRIES = 5;
/** Time after which a late commit becomes visible. */
const LATE_MS = 8_000;

/** Begins a fault in the simulated service. */
export function beginFault(service: Simulator, name: FaultName): BegunFault {
  const { behaviour } = service;
  const inject = (fault: Fault, text: string): BegunFault => {
    behaviour.faults.push(fault);
    return { text, ids: [] };
  };
  switch (name) {
    case 'unauthorized':
      service.tokens.expireAccessTokens();
      return {
        text: 'All access tokens have expired: the next requests are answered with 401. The poller exchanges its refresh token once and repeats them.',
        ids: [],
      };
    case 'rate-limit':
      return inject(
        { kind: 'status', status: 429, retryAfter: 3, path: API, next: 3 },
        'The next 3 requests are answered with 429 and Retry-After: 3. The poller pauses as a whole, then goes on.',
      );
    case 'server-error':
      return inject(
        { kind: 'status', status: 503, path: API, next: 20 },
        'The next 20 requests are answered with 503. The poller repeats each with growing pauses.',
      );
    case 'slow':
      return inject(
        { kind: 'slow', delayMs: 2_500, path: API, next: 8 },
        'The next 8 requests take 2.5 s longer. Other lists are polled meanwhile.',
      );
    case 'broken-page':
      return breakPage(service);
    case 'late-commit':
      return commitLate(service);
    case 'tie':
      return makeTie(service);
    case 'switched-off':
      return inject(
        { kind: 'disconnect' },
        'The service is switched off: it closes every connection. Lists wait 1, 2, 4, then 5 minutes; “Retry all” ends that.',
      );
  }
}

/** The faults that are still to hit requests. */
export function activeFaults({ behaviour }: Pick<Simulator, 'behaviour'>): ActiveFault[] {
  return behaviour.faults.map((fault) => ({
    label: labelOf(fault),
    isSwitchedOff: endsNever(fault),
    ...(fault.next !== undefined && { left: fault.next }),
  }));
}

/** Whether the service closes every connection until that is stopped. */
export function isSwitchedOff({ behaviour }: Pick<Simulator, 'behaviour'>): boolean {
  return behaviour.faults.some(endsNever);
}

export function switchOn({ behaviour }: Pick<Simulator, 'behaviour'>): void {
  behaviour.faults = behaviour.faults.filter((fault) => !endsNever(fault));
}

function endsNever({ kind, next }: Fault): boolean {
  return kind === 'disconnect' && next === undefined;
}

function labelOf(fault: Fault): string {
  if (fault.kind === 'status') return `answers ${fault.status}`;
  if (fault.kind === 'slow') return 'answers slowly';
  if (fault.kind === 'disconnect') return 'switched off';
  return 'sends a broken page';
}

function breakPage({ world, behaviour }: Simulator): BegunFault {
  const project = world.projects.list.all().find(({ deleted_at }) => deleted_at === null);
  const path = `/api/v3/projects/${project?.id ?? '*'}/floorplans`;
  behaviour.faults.push({ kind: 'cut_body', path, next: TRIES });
  const name = (project?.name ?? 'a project').slice(0, 60);
  return {
    text: `The floorplans of “${name}” break off half-way, ${TRIES} times. That list alone fails and is polled again after a minute; its cursor stays.`,
    ids: [],
  };
}

function commitLate({ world, behaviour }: Simulator): BegunFault {
  const [plan] = alivePlans({ world });
  if (plan === undefined) return { text: 'There is no floorplan to rename.', ids: [] };
  const { lateCommits } = behaviour;
  behaviour.lateCommits = { probability: 1, delayMs: LATE_MS };
  try {
    world.floorplans.update(plan.project_id, plan.id, {
      name: `${plan.name.slice(0, 200)} (late)`,
    });
  } finally {
    behaviour.lateCommits = lateCommits;
  }
  return {
    text: `“${plan.name.slice(0, 60)}” was renamed now, but readers see it only in ${LATE_MS / 1000} s, with its earlier timestamp. The poller reads that far back, so it is found.`,
    ids: [plan.id],
  };
}

function makeTie({ world }: Simulator): BegunFault {
  const plans = alivePlans({ world }).slice(0, 5);
  world.atOnce(() => {
    for (const { project_id, id } of plans) world.floorplans.rotate(project_id, id);
  });
  return {
    text: `${plans.length} floorplans were rotated in the same millisecond. None is skipped, although their timestamps are equal.`,
    ids: plans.map(({ id }) => id),
  };
}

function alivePlans({ world }: Pick<Simulator, 'world'>) {
  return world.projects.list
    .all()
    .filter(({ deleted_at }) => deleted_at === null)
    .flatMap(({ id }) => world.floorplans.list(id).all())
    .filter(({ deleted_at }) => deleted_at === null);
}
