import * as z from 'zod/mini';
import { listNames } from '../../functions/settings/additional-resources.ts';
import type { StageConfig } from './stage-fields.ts';

/** A field whose value does not fit other fields, and the values that would. */
interface Problem {
  readonly path: readonly PropertyKey[];
  readonly allowed: string;
}

type Field = keyof StageConfig;

/** Last seconds of a run, in which it finishes pages but starts no sweep. */
export const RESERVE_SECONDS = 10;

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
  check(['region', ...ARN_FIELDS], placeProblems),
  check(['additionalResources', 'query', 'omit'], listProblems),
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
function placeProblems({ region, ...stage }: StageConfig): Problem[] {
  return ARN_FIELDS.flatMap((name) => {
    const { [name]: arn = '' } = stage;
    const isElsewhere = region !== undefined && (arn.split(':')[3] ?? region) !== region;
    return problemIf(isElsewhere, [name], `an ARN in the region of the stack, ${region}`);
  });
}

/** Fields by the name of a list that there is not. */
function listProblems({ query = {}, omit = {}, additionalResources }: StageConfig): Problem[] {
  const names = listNames(additionalResources);
  const allowed = `entries with the names of lists: ${names.join(', ')}`;
  return Object.entries({ query, omit }).flatMap(([field, lists]) =>
    Object.keys(lists).flatMap((name) => problemIf(!names.includes(name), [field, name], allowed)),
  );
}
