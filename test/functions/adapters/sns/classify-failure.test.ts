import type { ServerResponse } from 'node:http';
import { SNSClient } from '@aws-sdk/client-sns';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SnsTopic } from '../../../../functions/adapters/sns/event-topic.ts';
import { PublishFailedError } from '../../../../functions/core/model/errors.ts';
import { serve } from '../../../support/local-server.ts';
import { eventOf } from '../../../support/samples.ts';

const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };
/** Two calls: ten events, and one alone. */
const EVENTS = Array.from({ length: 11 }, (_, i) => eventOf(`e${i}`));

type Broken = (response: ServerResponse, whole: string) => unknown;

const withStatus =
  (status: number, body: string): Broken =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);

/** Answers that SNS has not written, or that did not arrive whole. */
const BROKEN: readonly (readonly [string, Broken])[] = [
  [
    'that breaks off in its body',
    (response, whole) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.slice(0, 50), () => response.socket?.destroy());
    },
  ],
  ['of a proxy, in HTML', withStatus(200, '<html><body>Hello<br></body>')],
  ['of an error, cut in its XML', withStatus(400, '<ErrorResponse><Error><Code>Throt')],
];

/** A topic whose calls with one event get the broken answer so often. */
async function topicBehind(broken: Broken, times: number) {
  let left = times;
  const service = await serve((response, { body }) => {
    const names = [...new URLSearchParams(body).keys()];
    const ids = names.filter((name) => name.endsWith('.Id')).map((_, id) => id);
    const members = ids.map((id) => `<member><Id>${id}</Id><MessageId>${id}</MessageId></member>`);
    const whole = `<PublishBatchResponse><PublishBatchResult><Failed/><Successful>${members.join('')}</Successful></PublishBatchResult></PublishBatchResponse>`;
    if (ids.length === 1 && left-- > 0) return broken(response, whole);
    return response.writeHead(200, { 'content-type': 'text/xml' }).end(whole);
  });
  const client = new SNSClient({
    endpoint: service.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  onTestFinished(() => {
    client.destroy();
  });
  const claimCheck = { put: () => Promise.reject(new Error('no event is large')) };
  return new SnsTopic({ client, topicArn: 'arn:aws:sns:r:1:t', claimCheck, retry });
}

describe.each(BROKEN)('an answer %s', (_, broken) => {
  it('says nothing about the event, which is sent again', async () => {
    const topic = await topicBehind(broken, 2);
    expect(await topic.publish(EVENTS)).toEqual([]);
  });

  it('to each try is the fault of the topic: the event is not refused', async () => {
    const topic = await topicBehind(broken, Infinity);
    const published = topic.publish(EVENTS);
    await expect(published).rejects.toThrow(PublishFailedError);
    await expect(published).rejects.toThrow('accepted 10 of 11 events; 1 remain');
  });
});
