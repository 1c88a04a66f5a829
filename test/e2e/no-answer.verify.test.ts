import { SNSClient } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { S3ClaimCheck } from '../../functions/adapters/s3/claim-check.ts';
import { requestHandler } from '../../functions/adapters/shared/request-handler.ts';
import { DEFAULT_RETRY } from '../../functions/adapters/shared/retry.ts';
import { SnsTopic } from '../../functions/adapters/sns/event-topic.ts';
import { stubEnvironment } from '../functions/poll/environment.ts';
import { rejection, serve } from '../support/local-server.ts';
import { FEED, liveSite, type Site } from '../support/site.ts';

/** Time for calls. The clients themselves would wait for five seconds or more. */
const TIME_MS = 500;

/** A topic and a bucket behind one address that never answers. */
async function deadPorts() {
  const aws = await serve(() => undefined);
  stubEnvironment(aws.url);
  // From the first call on: a loaded machine may take long to get there.
  let endsAt: number | undefined;
  const leftMs = () => (endsAt ??= performance.now() + TIME_MS) - performance.now();
  const retry = { ...DEFAULT_RETRY, leftMs };
  const bucket = new S3ClaimCheck({ bucket: 'bucket', leftMs });
  const topic = new SnsTopic({
    client: new SNSClient({ requestHandler }),
    topicArn: 'arn:aws:sns:eu-central-1:123456789012:changes',
    claimCheck: bucket,
    retry,
  });
  return { aws, topic };
}

const change = (name: string) => (site: Site) => {
  site.floorplan('p', 'f', 10, { name });
};
describe.each<[string, (site: Site) => void, string]>([
  ['the topic', change('new'), 'Topic arn:'],
  ['the bucket', change('x'.repeat(300_000)), 'Bucket bucket'],
])('a run in which %s never answers', (_, prepare, named) => {
  it('ends in its time, reports that, backs off, and releases its lease', async () => {
    const site = await liveSite();
    prepare(site);
    for (const [failures, waitMs] of [
      [1, 60_000],
      [2, 120_000],
    ] as const) {
      const dead = await deadPorts();
      const failedAt = site.clock.now();
      const failed = await rejection(site.poll({}, { topic: dead.topic }));
      expect(String(failed)).toContain(named);
      expect(String(failed)).toContain('gave no answer before the run had to end');
      expect(dead.aws.received).toHaveLength(1);
      const feed = await site.feed(FEED);
      expect(feed).toMatchObject({ wait: { failures } });
      expect((feed?.wait?.until ?? 0) - failedAt).toBe(waitMs);
      expect(site.telemetry.counted('LeaseHeld')).toBe(0);
    }
  });
});
