import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeReceiver } from '../../../docs/examples/https-receiver.ts';
import { eventOf } from '../../support/samples.ts';
import { postMessage } from './post-message.ts';
import { makeSigner, type Signer } from './signer.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:Sitecast';
const CERTIFICATE = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-9c6465fa.pem';
const noS3 = undefined as unknown as S3Client;

let signer: Signer;
let server: Server;
let handled: string[];
/** Addresses that the receiver requested. */
let requested: string[];
let failure: Error | undefined;
let isSnsDown: boolean;

beforeAll(async () => {
  signer = await makeSigner();
});

beforeEach(async () => {
  handled = [];
  requested = [];
  failure = undefined;
  isSnsDown = false;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  server = makeReceiver({
    topicArn: TOPIC,
    s3: noS3,
    bucket: 'large-events',
    fetch: (url, init) => {
      requested.push(url as string);
      // A redirect could lead anywhere.
      expect(init?.redirect).toBe('error');
      return Promise.resolve(
        isSnsDown ? new Response('', { status: 503 }) : new Response(signer.certificate),
      );
    },
    handle: ({ subject }) => {
      if (failure) return Promise.reject(failure);
      return Promise.resolve(handled.push(subject));
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.close();
  await once(server, 'close');
});

const post = (message: unknown) => postMessage(server, message);
const postSigned = (changes: Record<string, string> = {}) =>
  post(signer.sign({ ...notification(), ...changes }));

describe('the HTTPS receiver of the guide', () => {
  it('handles a message that SNS signed', async () => {
    expect(await postSigned()).toBe(200);
    expect(handled).toEqual(['/projects/p1/floorplans/a']);
  });

  it('downloads a certificate again after a failure', async () => {
    isSnsDown = true;
    expect(await postSigned()).toBe(500);
    isSnsDown = false;
    expect(await postSigned()).toBe(200);
    expect(handled).toHaveLength(1);
  });

  it('confirms its subscription when SNS requests it', async () => {
    const SubscribeURL = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=t`;
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL };
    expect(await postSigned(confirmation)).toBe(200);
    expect(requested).toEqual([CERTIFICATE, SubscribeURL]);
    expect(handled).toEqual([]);
  });

  it('says when its subscription ends, and does not restore it', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const restore = `Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=t`;
    const SubscribeURL = `https://sns.eu-central-1.amazonaws.com/?${restore}`;
    const Message = `You have chosen to deactivate subscription ${TOPIC}:2bcfbf39.`;
    const end = { Type: 'UnsubscribeConfirmation', Token: 't', SubscribeURL, Message };
    expect(await postSigned(end)).toBe(200);
    expect(requested).toEqual([CERTIFICATE]);
    expect(handled).toEqual([]);
    expect(warn.mock.calls.join()).toContain(Message);
    // What SNS has not signed is not logged either.
    warn.mockClear();
    expect(await post({ ...signer.sign({ ...notification(), ...end }), Message: 'x' })).toBe(403);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    ['a changed message', { Message: JSON.stringify(eventOf('z')) }],
    ['a changed time', { Timestamp: '2026-01-01T00:00:00.000Z' }],
    ['an invalid signature', { Signature: 'AAAA' }],
  ])('refuses %s', async (_, forged) => {
    expect(await post({ ...signer.sign(notification()), ...forged })).toBe(403);
    expect(handled).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['the old signature version', { SignatureVersion: '1' }],
    ...[
      'https://sns.evil.example/SimpleNotificationService-1.pem',
      'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem',
      // Buckets that anybody may have given these names.
      'https://sns.s3.amazonaws.com/SimpleNotificationService-1.pem',
      'https://sns.s3-eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
      'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem',
      'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
      'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-1.pem',
      'https://me@sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
      'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem?Action=X',
      'https://sns.eu-central-1.amazonaws.com/?Action=GetTopicAttributes',
      'no address',
    ].map((url): [string, Record<string, string>] => [
      `a certificate at ${url}`,
      { SigningCertURL: url },
    ]),
    ['another topic', { TopicArn: `${TOPIC}2` }],
    ['an unknown type', { Type: 'Greeting' }],
  ])('refuses %s even if signed, and downloads nothing', async (_, changed) => {
    expect(await postSigned(changed)).toBe(403);
    expect(requested).toEqual([]);
    expect(handled).toEqual([]);
  });

  it.each([
    'https://evil.example/',
    `https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe&TopicArn=${TOPIC}`,
    `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}2`,
    `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}`,
  ])('does not visit a confirmation link to %s', async (SubscribeURL) => {
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 't' };
    await postSigned({ ...confirmation, SubscribeURL });
    expect(requested).toEqual([CERTIFICATE]);
  });

  it('refuses anything but a message of SNS', async () => {
    expect(await post('nonsense')).toBe(403);
    expect(await post('null')).toBe(403);
    expect(await post('x'.repeat(1_000_001))).toBe(413);
    const { port } = server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(405);
  });
});

function notification(): Record<string, string> {
  return {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: TOPIC,
    Message: JSON.stringify(eventOf('a')),
    Timestamp: '2026-11-21T09:00:00.000Z',
    SignatureVersion: '2',
    SigningCertURL: CERTIFICATE,
  };
}
