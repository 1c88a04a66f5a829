import * as z from 'zod/mini';
import { listNames } from '../../functions/settings/additional-resources.ts';
import type { StageConfig } from './stage-fields.ts';

/** A field whose value does not fit those of others, and what would. */
interface Problem {
  readonly path: readonly PropertyKey[];
  readonly allowed: string;
}

type Field = keyof StageConfig;

/** Last seconds of a run, in which it finishes pages but starts no sweep. */
export const RESERVE_SECONDS = 10;

/** Bytes of the environment that the poller's fields may have. Lambda has 4 KB altogether. */
const MAX_POLLER_BYTES = 2300;
/** The same for the control function, which has the webhooks as well. */
const MAX_CONTROL_BYTES = 2900;
/** The names of a webhook's function and queues, at the longest, as JSON. */
const WEBHOOK_BYTES = 430;
const ENVIRONMENT_FIELDS = [
  ...(['additionalResources', 'projects', 'headers', 'query', 'omit', 'environment'] as const),
];

const ARN_FIELDS = [
  ...(['alarmTopicArn', 'kmsKeyArn', 'existingTableArn', 'existingSecretArn'] as const),
];

const FIFO_PROTOCOLS = ['sqs', 'webhook', 'eventBridge'];

/** Checks of fields against each other. Each runs if its own fields are valid: none repeats. */
export const crossChecks = [
  check(['maxWaitSeconds', 'everyMinutes'], ({ maxWaitSeconds = Infinity, everyMinutes }) =>
    problemIf(
      maxWaitSeconds < everyMinutes * 120,
      ['maxWaitSeconds'],
      `at least ${everyMinutes * 120}: twice the time between two runs (everyMinutes)`,
    ),
  ),
  check(['requestsPerMinute', 'shards'], ({ requestsPerMinute, shards }) =>
    problemIf(
      requestsPerMinute < shards,
      ['requestsPerMinute'],
      'at least one for each of the shards',
    ),
  ),
  check(['pollEverySeconds', 'timeoutSeconds'], ({ pollEverySeconds = 0, timeoutSeconds }) =>
    problemIf(
      pollEverySeconds >= timeoutSeconds - RESERVE_SECONDS,
      ['pollEverySeconds'],
      `less than ${timeoutSeconds - RESERVE_SECONDS}, or a run has no time for a second sweep: ` +
        `timeoutSeconds without the last ${RESERVE_SECONDS}`,
    ),
  ),
  check(['monitoring', 'alarmEmail', 'alarmTopicArn'], alarmProblems),
  check(['topicType', 'archiveDays', 'account', 'region', 'subscribers'], topicProblems),
  check(['region', ...ARN_FIELDS, 'subscribers'], placeProblems),
  check(['additionalResources', 'query', 'omit'], listProblems),
  check([...ENVIRONMENT_FIELDS, 'subscribers'], environmentProblems),
];

function check(fields: readonly Field[], find: (stage: StageConfig) => readonly Problem[]) {
  return z.superRefine<StageConfig>(
    (stage, context) => {
      for (const { path, allowed } of find(stage)) {
        context.addIssue({ code: 'custom', path: [...path], message: allowed });
      }
    },
    {
      when: ({ value, issues }) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        !issues.some(({ path: [name] = [] }) => (fields as readonly unknown[]).includes(name)),
    },
  );
}

function problemIf(isWrong: boolean, path: readonly PropertyKey[], allowed: string): Problem[] {
  return isWrong ? [{ path, allowed }] : [];
}

/** Fields that contradict each other on where alarms are sent. */
function alarmProblems({ monitoring, alarmEmail, alarmTopicArn }: StageConfig): Problem[] {
  if (monitoring === 'off') {
    return Object.entries({ alarmEmail, alarmTopicArn }).flatMap(([field, value]) =>
      problemIf(value !== undefined, [field], 'nothing, since monitoring "off" has no alarms'),
    );
  }
  const isTwice = alarmEmail !== undefined && alarmTopicArn !== undefined;
  const allowed = 'nothing beside alarmTopicArn: subscribe the address to that topic';
  return problemIf(isTwice, ['alarmEmail'], allowed);
}

/** Fields that SNS refuses for the type of the topic. */
function topicProblems({ topicType, archiveDays, subscribers }: StageConfig): Problem[] {
  const isFifo = topicType === 'fifo';
  return [
    ...problemIf(
      !isFifo && archiveDays !== undefined,
      ['archiveDays'],
      'nothing, since only a FIFO topic has an archive (topicType "fifo")',
    ),
    ...subscribers.flatMap(({ protocol, endpoint }, index) => [
      ...problemIf(
        isFifo && !FIFO_PROTOCOLS.includes(protocol),
        ['subscribers', index, 'protocol'],
        `one of ${FIFO_PROTOCOLS.join(', ')}, since a FIFO topic delivers to SQS queues only`,
      ),
      ...problemIf(
        !isFifo && protocol === 'sqs' && endpoint.endsWith('.fifo'),
        ['subscribers', index, 'endpoint'],
        'ARN of a standard queue, since topicType "fifo" alone delivers to FIFO queues',
      ),
    ]),
  ];
}

/** ARNs that the stack cannot use from its region. */
function placeProblems({ region, subscribers, ...stage }: StageConfig): Problem[] {
  const isElsewhere = (arn = ''): boolean =>
    region !== undefined && (arn.split(':')[3] ?? region) !== region;
  const allowed = `an ARN in the region of the stack, ${region}`;
  return [
    ...ARN_FIELDS.flatMap((name) => problemIf(isElsewhere(stage[name]), [name], allowed)),
    ...subscribers.flatMap(({ protocol, endpoint, secretArn }, index) => {
      const isBus = protocol === 'eventBridge';
      const path = ['subscribers', index, isBus ? 'endpoint' : 'secretArn'];
      return problemIf(isElsewhere(isBus ? endpoint : secretArn), path, allowed);
    }),
  ];
}

/** Fields by the name of a list that there is not. */
function listProblems({ query = {}, omit = {}, additionalResources }: StageConfig): Problem[] {
  const names = listNames(additionalResources);
  const allowed = `entries with the names of lists: ${names.join(', ')}`;
  return Object.entries({ query, omit }).flatMap(([field, lists]) =>
    Object.keys(lists).flatMap((name) => problemIf(!names.includes(name), [field, name], allowed)),
  );
}

/** Fields that are too long for the environment of a function. Names the longest. */
function environmentProblems({ subscribers, ...stage }: StageConfig): Problem[] {
  const webhooks = subscribers.filter(({ protocol }) => protocol === 'webhook');
  const sizes = ENVIRONMENT_FIELDS.map((name) => [name, environmentBytes(stage[name])] as const);
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  const webhookBytes = webhooks.reduce(
    (sum, { name, endpoint }) => sum + WEBHOOK_BYTES + Buffer.byteLength(name + endpoint),
    0,
  );
  const [longest = 'projects'] = sizes.toSorted((a, b) => b[1] - a[1]).map(([name]) => name);
  const fields = ENVIRONMENT_FIELDS.join(', ');
  if (bytes > MAX_POLLER_BYTES) {
    const allowed = `less: ${fields} have ${bytes} of ${MAX_POLLER_BYTES} bytes as JSON in JSON`;
    return [{ path: [longest], allowed }];
  }
  return problemIf(
    webhooks.length > 0 && bytes + webhookBytes > MAX_CONTROL_BYTES,
    ['subscribers'],
    `fewer webhooks, or less in ${fields}: together they have ${bytes + webhookBytes} of ` +
      `${MAX_CONTROL_BYTES} bytes; a second stage can have others`,
  );
}

/** Lambda measures the JSON of all variables, and these hold JSON. */
function environmentBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}
