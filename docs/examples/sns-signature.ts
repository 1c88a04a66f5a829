import { verify } from 'node:crypto';
import * as z from 'zod';

/** What SNS posts to an endpoint without raw message delivery. */
export const snsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  /** Of a notification: the event. */
  Message: z.string(),
  Timestamp: z.string(),
  Subject: z.string().optional(),
  /** Of the two confirmations: subscribes, once it is visited. */
  SubscribeURL: z.string().optional(),
  Token: z.string().optional(),
  SignatureVersion: z.string(),
  Signature: z.string(),
  SigningCertURL: z.string(),
});

export type SnsMessage = z.infer<typeof snsMessage>;

/** What is signed, in this order, as far as the message has it. */
const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
} as const;

/** Where SNS keeps its certificates. */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]+\.pem$/;

/**
 * The address as a URL, if it leads to SNS in the topic's region and nowhere else. Not every host under
 * amazonaws.com is Amazon's to speak for: a bucket may be named `sns`.
 */
function atSnsOf(topicArn: string, address: string | undefined): URL | undefined {
  const [, partition, , region] = topicArn.split(':');
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = URL.parse(address ?? '');
  return url?.origin === `https://sns.${region}.${domain}` && url.username === '' ? url : undefined;
}

/** Whether visiting the address confirms a subscription to the topic, and does nothing else. */
export function confirms(topicArn: string, address: string | undefined): address is string {
  const url = atSnsOf(topicArn, address);
  return (
    url?.pathname === '/' &&
    url.searchParams.get('Action') === 'ConfirmSubscription' &&
    url.searchParams.get('TopicArn') === topicArn
  );
}

/**
 * Whether SNS signed the message for the topic, with signature version 2 (SHA-256), which Sitecast's
 * topic does.
 *
 * @param topicArn the topic that the message may come from; never what the message says itself.
 * @param certificateAt the PEM text at an address of SNS; keep it, it seldom changes.
 */
export async function isSignedBySns(
  message: SnsMessage,
  topicArn: string,
  certificateAt: (url: string) => Promise<string>,
): Promise<boolean> {
  const { Type, TopicArn, SignatureVersion, SigningCertURL, Signature } = message;
  const address = atSnsOf(topicArn, SigningCertURL);
  const isOfSns = address?.search === '' && CERTIFICATE_PATH.test(address.pathname);
  if (TopicArn !== topicArn || SignatureVersion !== '2' || !isOfSns) return false;
  const fields = SIGNED[Type === 'Notification' ? Type : 'SubscriptionConfirmation'];
  const signed = fields.flatMap((name) =>
    message[name] === undefined ? [] : [`${name}\n${message[name]}\n`],
  );
  const certificate = await certificateAt(SigningCertURL);
  return verify(
    'sha256',
    Buffer.from(signed.join('')),
    certificate,
    Buffer.from(Signature, 'base64'),
  );
}
