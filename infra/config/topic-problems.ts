/** A stage whose fields may have any type. */
interface UncheckedStage {
  readonly topicType?: unknown;
  readonly archiveDays?: unknown;
  readonly account?: unknown;
  readonly region?: unknown;
  readonly subscribers?: unknown;
}

/** Regions without EventBridge Pipes. The CDK refuses a pipe in those that it knows. */
const WITHOUT_PIPES =
  /^((us-(gov|iso|isob)|eusc)-.*|ap-east-2|ap-southeast-[4-7]|(ca-west|(il|mx)-central)-1)$/;

interface TopicProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Finds fields that SNS refuses for the type of the topic, or its place. */
export function topicProblems(stage: UncheckedStage): TopicProblem[] {
  const problems: TopicProblem[] = [];
  if (stage.topicType !== 'fifo' && stage.archiveDays !== undefined) {
    const message = 'nothing, since only a FIFO topic has an archive (topicType "fifo")';
    problems.push({ path: ['archiveDays'], message });
  }
  const subscribers: readonly unknown[] = Array.isArray(stage.subscribers) ? stage.subscribers : [];
  for (const [index, subscriber] of subscribers.entries()) {
    const fields = (subscriber ?? {}) as Readonly<Record<string, unknown>>;
    const found = { ...typeProblems(fields, stage), ...placeProblems(fields, stage) };
    for (const [field, message] of Object.entries(found)) {
      problems.push({ path: ['subscribers', index, field], message });
    }
  }
  return problems;
}

/** What a topic of this type does not do for a subscriber, by field. */
function typeProblems(
  { protocol, endpoint }: Readonly<Record<string, unknown>>,
  stage: UncheckedStage,
): Record<string, string> {
  if (stage.topicType === 'fifo') {
    if (!['lambda', 'https', 'firehose'].includes(String(protocol))) return {};
    return {
      protocol:
        '"sqs", "webhook" or "eventBridge", since a FIFO topic delivers to SQS queues only, and the last two have one of their own: subscribe a queue and read that, or set topicType to "standard"',
    };
  }
  return {
    ...(protocol === 'sqs' &&
      String(endpoint).endsWith('.fifo') && {
        endpoint:
          'ARN of a standard queue, since a standard topic does not deliver to FIFO queues (topicType "fifo" does)',
      }),
  };
}

/** What the stack's place lacks or cannot reach for a subscriber, by field. */
function placeProblems(
  { protocol, endpoint, secretArn }: Readonly<Record<string, unknown>>,
  stage: UncheckedStage,
): Record<string, string> {
  const ofBus = protocol === 'eventBridge' ? String(endpoint).split(':') : [];
  const isElsewhere = (part: unknown, own: unknown): boolean =>
    typeof part === 'string' && typeof own === 'string' && part !== own;
  const region = typeof stage.region === 'string' ? stage.region : (ofBus[3] ?? '');
  const withoutPipes = `any other, since ${region} has no EventBridge Pipes, which reach the bus`;
  return {
    ...(protocol === 'eventBridge' && WITHOUT_PIPES.test(region) && { protocol: withoutPipes }),
    ...((isElsewhere(ofBus[3], stage.region) || isElsewhere(ofBus[4], stage.account)) && {
      endpoint:
        "a bus in the stage's account and region, which alone a pipe reaches: a rule of that bus can forward to others",
    }),
    ...(typeof secretArn === 'string' &&
      isElsewhere(secretArn.split(':')[3], stage.region) && {
        secretArn: `an ARN in the region of the stack, ${String(stage.region)}`,
      }),
  };
}
