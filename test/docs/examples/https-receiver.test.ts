import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeReceiver } from '../../../docs/examples/https-receiver.ts';
import { eventOf } from '../../support/samples.ts';
import { post as postTo } from './posting.ts';
import { makeSigner, type Signer } from './signing.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:Sitecast';
const CERTIFICATE = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-9c6465fa.pem';
const noS3 = undefined as unknown as S3Client;

let signer: Signer;
let server: Server;
let handled: string[];
/** Addresses that the receiver asked for. */
let asked: string[];
let failure: Error | undefined;
let isSnsAway: boolean;

beforeAll(async () => {
  signer = await makeSigner();
});

beforeEach(async () => {
  handled = [];
  asked = [];
  failure = undefined;
  isSnsAway = false;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  server = makeReceiver({
    topicArn: TOPIC,
    s3: noS3,
    fetch: (url, init) => {
      asked.push(url as string);
      // A redirect could lead anywhere.
      expect(init?.redirect).toBe('error');
      const answer = isSnsAway ? new Response('', { status: 503 }) : undefined;
      return Promise.resolve(answer ?? new Response(signer.certificate));
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

const signed = (message: Record<string, string>) => signer.signed(message);
const post = (message: unknown) => postTo(server, message);

describe('the HTTPS receiver of the guide', () => {
  it('handles what SNS signed', async () => {
    expect(await post(signed(notification()))).toBe(200);
    expect(handled).toEqual(['/projects/p1/floorplans/a']);
  });

  it('reads a certificate once', async () => {
    await post(signed(notification()));
    await post(signed(notification()));
    expect(asked).toEqual([CERTIFICATE]);
    expect(handled).toHaveLength(2);
  });

  it('asks again for a certificate that could not be had', async () => {
    isSnsAway = true;
    expect(await post(signed(notification()))).toBe(500);
    isSnsAway = false;
    expect(await post(signed(notification()))).toBe(200);
    expect(handled).toHaveLength(1);
  });

  it('confirms its subscription, when SNS asks for it', async () => {
    const SubscribeURL = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=t`;
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL };
    expect(await post(signed({ ...notification(), ...confirmation }))).toBe(200);
    expect(asked).toEqual([CERTIFICATE, SubscribeURL]);
    expect(handled).toEqual([]);
  });

  it.each([
    ['a changed message', { Message: JSON.stringify(eventOf('z')) }],
    ['a changed time', { Timestamp: '2026-01-01T00:00:00.000Z' }],
    ['a signature that is none', { Signature: 'AAAA' }],
  ])('refuses %s', async (_, forged) => {
    expect(await post({ ...signed(notification()), ...forged })).toBe(403);
    expect(handled).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['the old signature version', { SignatureVersion: '1' }],
    ...[
      'https://sns.evil.example/SimpleNotificationService-1.pem',
      'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem',
      // Buckets that anybody may have named so.
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
  ])('refuses %s, though signed, and asks nobody', async (_, changed) => {
    expect(await post(signed({ ...notification(), ...changed }))).toBe(403);
    expect(asked).toEqual([]);
    expect(handled).toEqual([]);
  });

  it.each([
    'https://evil.example/',
    `https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe&TopicArn=${TOPIC}`,
    `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}2`,
    `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}`,
  ])('visits no link of a confirmation that leads to %s', async (SubscribeURL) => {
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 't' };
    await post(signed({ ...notification(), ...confirmation, SubscribeURL }));
    expect(asked).toEqual([CERTIFICATE]);
  });

  it('refuses what is no message of SNS', async () => {
    expect(await post('nonsense')).toBe(403);
    expect(await post('null')).toBe(403);
    expect(await post('x'.repeat(1_000_001))).toBe(413);
    const { port } = server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(405);
  });

  it('asks SNS to try again when the handling fails', async () => {
    failure = new Error('the database is away');
    expect(await post(signed(notification()))).toBe(500);
    failure = undefined;
    expect(await post(signed(notification()))).toBe(200);
    expect(handled).toHaveLength(1);
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
