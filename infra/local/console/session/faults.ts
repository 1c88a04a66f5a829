import type { Fault } from '../../simulator/behaviour.ts';
import { isAlive } from '../../simulator/kinds.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { FaultName } from '../protocol.ts';

/** The effect of a fault in words, and the entities that it has changed. */
export interface BegunFault {
  readonly text: string;
  readonly ids?: readonly string[];
}

const API = '/api/';
/** Requests of one poll of a list: four tries, and one with a new access token. */
const TRIES = 5;
/** Time after which a late commit becomes visible. */
const LATE_MS = 8_000;

const FAULTS: Readonly<Record<FaultName, (service: Simulator) => BegunFault>> = {
  unauthorized: ({ tokens }) => {
    tokens.expireAccessTokens();
    return { text: 'All access tokens have expired. The poller gets a new one, once.' };
  },
  'rate-limit': ({ behaviour }) => {
    behaviour.faults.push({ kind: 'status', status: 429, retryAfter: 3, path: API, next: 3 });
    return { text: 'The next 3 requests are refused with 429: all requests wait for 3 s.' };
  },
  'server-error': ({ behaviour }) => {
    behaviour.faults.push({ kind: 'status', status: 503, path: API, next: 20 });
    return { text: 'The next 20 requests fail with 503: each is repeated after growing waits.' };
  },
  slow: ({ behaviour }) => {
    behaviour.faults.push({ kind: 'slow', delayMs: 2_500, path: API, next: 8 });
    return { text: 'The next 8 requests take 2.5 s longer. Other lists are polled meanwhile.' };
  },
  'broken-page': ({ world, behaviour }) => {
    const [plan] = livingPlans(world);
    const path = `/api/v3/projects/${plan?.project_id}/floorplans`;
    behaviour.faults.push({ kind: 'cut_body', path, next: TRIES });
    return {
      text:
        `The floorplans of a project break off half-way, ${TRIES} times. That list alone ` +
        'fails and is polled again after a minute; its cursor stays.',
    };
  },
  'late-commit': ({ world, behaviour }) => {
    behaviour.commitDelayMs = LATE_MS;
    const plans = livingPlans(world).slice(0, 1);
    for (const { project_id, id, name } of plans) {
      world.floorplans.list(project_id).update(id, { name: `${name.slice(0, 200)} (late)` });
    }
    behaviour.commitDelayMs = 0;
    return {
      text:
        `A floorplan was renamed now, but readers see it only in ${LATE_MS / 1000} s, with its ` +
        'earlier timestamp. The poller reads that far back, so it is found.',
      ids: plans.map(({ id }) => id),
    };
  },
  tie: ({ world }) => {
    const plans = livingPlans(world).slice(0, 5);
    world.atOnce(() => {
      for (const { project_id, id } of plans) world.floorplans.rotate(project_id, id);
    });
    return {
      text: `${plans.length} floorplans were rotated in the same millisecond. None is skipped.`,
      ids: plans.map(({ id }) => id),
    };
  },
  invalid: ({ world }) => {
    for (const { project_id, id } of livingPlans(world).slice(0, 1)) {
      // The service has no such time.
      world.floorplans.list(project_id).update(id, { deleted_at: 'never' });
    }
    return {
      text:
        'A floorplan has the deleted_at “never”: it goes into the quarantine, and its list goes ' +
        'on. Restore the floorplan under Service; “sitecast quarantine” shows and retries it.',
    };
  },
  'switched-off': ({ behaviour }) => {
    behaviour.faults.push({ kind: 'disconnect' });
    return {
      text: 'The service is switched off. Lists wait up to 5 minutes; “Retry all” ends that.',
    };
  },
};

export function beginFault(service: Simulator, name: FaultName): BegunFault {
  if (Object.hasOwn(FAULTS, name)) return FAULTS[name](service);
  const allowed = Object.keys(FAULTS).join(', ');
  throw new RangeError(`fault is ${JSON.stringify(name)}; allowed: ${allowed}`);
}

/** Describes a fault that is still to hit requests. */
export function describeFault(fault: Fault): string {
  if (isSwitchedOff(fault)) return 'switched off';
  const what = {
    status: `answers ${'status' in fault ? fault.status : ''}`,
    slow: 'answers slowly',
    cut_body: 'sends a broken page',
  }[fault.kind as string];
  return `${what ?? fault.kind}, ${fault.next ?? 'many'} more times`;
}

/** Whether the service closes every connection until the fault is removed. */
export function isSwitchedOff({ kind, next }: Fault): boolean {
  return kind === 'disconnect' && next === undefined;
}

function livingPlans({ projects, floorplans }: Simulator['world']) {
  const living = projects.all().filter(isAlive);
  return living.flatMap(({ id }) => floorplans.list(id).all()).filter(isAlive);
}
