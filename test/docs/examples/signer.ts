import { sign as signText } from 'node:crypto';
import { generate } from 'selfsigned';

/** Signs messages as SNS does, with a certificate of its own. */
export interface Signer {
  /** PEM. */
  readonly certificate: string;
  /** Adds the signature, by version 2. */
  sign(message: Readonly<Record<string, string>>): Record<string, string>;
}

/** The signed fields in their order; a field that is absent is skipped. */
const SIGNED = [
  'Message',
  'MessageId',
  'Subject',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
];

export async function makeSigner(): Promise<Signer> {
  const subject = [{ name: 'commonName', value: 'sns.amazonaws.com' }];
  const keys = await generate(subject, { keySize: 2048 });
  return {
    certificate: keys.cert,
    sign: (message) => {
      const names = SIGNED.filter((name) => name in message);
      const text = names.map((name) => `${name}\n${message[name] ?? ''}\n`).join('');
      const signature = signText('sha256', Buffer.from(text), keys.private);
      return { ...message, Signature: signature.toString('base64') };
    },
  };
}
