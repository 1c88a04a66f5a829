/** A stage whose fields may be anything yet. */
interface AnyStage {
  readonly topicType?: unknown;
  readonly archiveDays?: unknown;
  readonly subscribers?: unknown;
}

interface TopicProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** What the kind of the topic forbids: an archive of a standard topic, and whom SNS does not deliver to. */
export function topicProblems({ topicType, archiveDays, subscribers }: AnyStage): TopicProblem[] {
  const isFifo = topicType === 'fifo';
  const problems: TopicProblem[] = [];
  if (!isFifo && archiveDays !== undefined) {
    const message = 'nothing, since only a FIFO topic has an archive (topicType "fifo")';
    problems.push({ path: ['archiveDays'], message });
  }
  const list: readonly unknown[] = Array.isArray(subscribers) ? subscribers : [];
  for (const [index, subscriber] of list.entries()) {
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
