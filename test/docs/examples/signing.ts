import { sign } from 'node:crypto';
import { generate } from 'selfsigned';

/** Signs as SNS does, with a certificate of its own. */
export interface Signer {
  /** The certificate, as PEM. */
  readonly certificate: string;
  /** The message with its signature, by version 2. */
  signed(message: Readonly<Record<string, string>>): Record<string, string>;
}

/** What is signed, in this order, as far as the message has it. */
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
    signed: (message) => {
      const names = SIGNED.filter((name) => name in message);
      const text = names.map((name) => `${name}\n${message[name] ?? ''}\n`).join('');
      const signature = sign('sha256', Buffer.from(text), keys.private);
      return { ...message, Signature: signature.toString('base64') };
    },
  };
}
