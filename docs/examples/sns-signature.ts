import { verify } from 'node:crypto';
import * as z from 'zod';

/** A message that SNS posts to an endpoint without raw message delivery. */
export const snsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  /** In a notification, the event. */
  Message: z.string(),
  Timestamp: z.string(),
  Subject: z.string().optional(),
  /** In a confirmation, the address that subscribes when it is visited. */
  SubscribeURL: z.string().optional(),
  Token: z.string().optional(),
  SignatureVersion: z.string(),
  Signature: z.string(),
  SigningCertURL: z.string(),
});

export type SnsMessage = z.infer<typeof snsMessage>;

/** The signed fields in their order; a field that is absent is skipped. */
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

const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]+\.pem$/;

/**
 * Parses an address, and returns it only if it leads to SNS in the topic's region. Some hosts under
 * amazonaws.com belong to customers: a bucket may be named `sns`.
 */
function parseSnsUrl(topicArn: string, address: string | undefined): URL | undefined {
  const [, partition, , region] = topicArn.split(':');
  const domain = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = URL.parse(address ?? '');
  return url?.origin === `https://sns.${region}.${domain}` && url.username === '' ? url : undefined;
}

/** Checks that visiting the address confirms a subscription to the topic, and does nothing else. */
export function isConfirmation(topicArn: string, address: string | undefined): address is string {
  const url = parseSnsUrl(topicArn, address);
  return (
    url?.pathname === '/' &&
    url.searchParams.get('Action') === 'ConfirmSubscription' &&
    url.searchParams.get('TopicArn') === topicArn
  );
}

/**
 * Checks that SNS signed the message for the topic, with signature version 2 (SHA-256) as
 * Sitecast's topic does.
 *
 * @param topicArn the expected topic; never taken from the message itself.
 * @param certificateAt returns the PEM text at an address of SNS. Cache it: it seldom changes.
 */
export async function isSignedBySns(
  message: SnsMessage,
  topicArn: string,
  certificateAt: (url: string) => Promise<string>,
): Promise<boolean> {
  const { Type, TopicArn, SignatureVersion, SigningCertURL, Signature } = message;
  const url = parseSnsUrl(topicArn, SigningCertURL);
  const isSnsCertificate = url?.search === '' && CERTIFICATE_PATH.test(url.pathname);
  if (TopicArn !== topicArn || SignatureVersion !== '2' || !isSnsCertificate) return false;
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
