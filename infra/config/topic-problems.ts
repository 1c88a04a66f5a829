/** A stage whose fields may have any type. */
interface UncheckedStage {
  readonly topicType?: unknown;
  readonly archiveDays?: unknown;
  readonly maxMessageBytes?: unknown;
  readonly subscribers?: unknown;
}

/** What SNS takes unless a topic is set to more, for which it restricts subscriptions. */
export const DEFAULT_MAX_MESSAGE_BYTES = 262_144;
const MAX_SUBSCRIPTIONS_OF_LARGE = 100;

interface TopicProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Finds fields that SNS refuses for the type of the topic, or the size of its messages. */
export function topicProblems(stage: UncheckedStage): TopicProblem[] {
  const isFifo = stage.topicType === 'fifo';
  const problems: TopicProblem[] = [];
  if (!isFifo && stage.archiveDays !== undefined) {
    const message = 'nothing, since only a FIFO topic has an archive (topicType "fifo")';
    problems.push({ path: ['archiveDays'], message });
  }
  const subscribers: readonly unknown[] = Array.isArray(stage.subscribers) ? stage.subscribers : [];
  const isLarge = Number(stage.maxMessageBytes) > DEFAULT_MAX_MESSAGE_BYTES;
  if (isLarge && subscribers.length > MAX_SUBSCRIPTIONS_OF_LARGE) {
    const message = `at most ${MAX_SUBSCRIPTIONS_OF_LARGE} subscribers, since maxMessageBytes is more than ${DEFAULT_MAX_MESSAGE_BYTES}`;
    problems.push({ path: ['subscribers'], message });
  }
  for (const [index, subscriber] of subscribers.entries()) {
    const { protocol, endpoint } = (subscriber ?? {}) as Record<string, unknown>;
    if (isFifo && ['lambda', 'https', 'firehose'].includes(String(protocol))) {
      const message =
        '"sqs", since a FIFO topic delivers to SQS queues only: subscribe a queue and read that, or set topicType to "standard"';
      problems.push({ path: ['subscribers', index, 'protocol'], message });
    }
    if (!isFifo && isLarge && protocol === 'https') {
      const message = `"sqs", "lambda" or "firehose", since maxMessageBytes is more than ${DEFAULT_MAX_MESSAGE_BYTES}, which SNS does not deliver by https`;
      problems.push({ path: ['subscribers', index, 'protocol'], message });
    }
    if (!isFifo && protocol === 'sqs' && String(endpoint).endsWith('.fifo')) {
      const message =
        'ARN of a standard queue, since a standard topic does not deliver to FIFO queues (topicType "fifo" does)';
      problems.push({ path: ['subscribers', index, 'endpoint'], message });
    }
  }
  return problems;
}
