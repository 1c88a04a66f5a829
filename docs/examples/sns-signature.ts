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

/** Hosts of SNS itself. A certificate or a confirmation from anywhere else proves nothing. */
const SNS_HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;

/** Whether a link in a message leads to SNS. */
export function isOfSns(url: string | undefined): url is string {
  const parsed = URL.parse(url ?? '');
  return parsed?.protocol === 'https:' && parsed.port === '' && SNS_HOST.test(parsed.hostname);
}

/**
 * Whether SNS signed the message with signature version 2 (SHA-256), which Sitecast's topic does.
 *
 * @param certificateAt the PEM text at an address of SNS; keep it, it seldom changes.
 */
export async function isSignedBySns(
  message: SnsMessage,
  certificateAt: (url: string) => Promise<string>,
): Promise<boolean> {
  const { Type, SignatureVersion, SigningCertURL, Signature } = message;
  if (SignatureVersion !== '2' || !isOfSns(SigningCertURL)) return false;
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
