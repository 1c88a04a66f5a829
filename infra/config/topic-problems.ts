/** A stage whose fields may have any type. */
interface UncheckedStage {
  readonly topicType?: unknown;
  readonly archiveDays?: unknown;
  readonly subscribers?: unknown;
}

interface TopicProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Finds fields that SNS refuses for the type of the topic. */
export function topicProblems(stage: UncheckedStage): TopicProblem[] {
  const isFifo = stage.topicType === 'fifo';
  const problems: TopicProblem[] = [];
  if (!isFifo && stage.archiveDays !== undefined) {
    const message = 'nothing, since only a FIFO topic has an archive (topicType "fifo")';
    problems.push({ path: ['archiveDays'], message });
  }
  const subscribers: readonly unknown[] = Array.isArray(stage.subscribers) ? stage.subscribers : [];
  for (const [index, subscriber] of subscribers.entries()) {
    const { protocol, endpoint } = (subscriber ?? {}) as Record<string, unknown>;
    if (isFifo && ['lambda', 'https', 'firehose'].includes(String(protocol))) {
      const message =
        '"sqs", since a FIFO topic delivers to SQS queues only: subscribe a queue and read that, or set topicType to "standard"';
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
