import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { addressKind } from '../../functions/adapters/webhook/address-kind.ts';
import { trueOrFalse, whole } from '../../functions/settings/field-types.ts';
import { isLoopback, urlProblem } from '../../functions/settings/service-url.ts';
import { reference } from './reference.ts';

/** Fields of a webhook, besides those of every subscriber. */
export const webhookFields = {
  /**
   * ARN of the secret that signs, in the stack's region: as text `whsec_` and the base64 of 24 to
   * 64 bytes. Default: a new secret of the stack. If the secret has a key of its own, `kmsKeyArn`
   * must be that key; else put the text into the stack's secret.
   */
  secretArn: z.optional(
    reference(
      /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
      'complete ARN of a secret, with the six characters at its end; what it holds (whsec_…) ' +
        'belongs into Secrets Manager alone',
    ),
  ),
  /** Maximum of function instances that deliver, of ten requests each. Default: 5. */
  maxConcurrency: z.optional(whole(2, 1000, 'function instances')),
  /**
   * Whether the host of `endpoint` may have a private address. Default: false. Addresses of the
   * machine itself are refused, also link-local ones; on the local stack alone this allows them as
   * well, with http to localhost.
   */
  allowPrivateAddress: z.optional(trueOrFalse()),
};

type WebhookFields = Partial<z.output<z.ZodMiniObject<typeof webhookFields>>>;

/** The options of a webhook, with defaults filled in. */
export function webhookOptions({ maxConcurrency = 5, allowPrivateAddress = false }: WebhookFields) {
  return { maxConcurrency, allowPrivateAddress };
}

/**
 * The form that the URL of a webhook must have and has not; undefined if nothing is wrong. A name's
 * address is checked before each connection.
 */
export function webhookUrlProblem(endpoint: string, allowPrivate: boolean): string | undefined {
  const { protocol = '', hostname = '' } = URL.parse(endpoint) ?? {};
  const isLocal = allowPrivate && protocol === 'http:' && isLoopback(hostname);
  if (protocol !== 'https:' && !isLocal) return 'an https URL, since protocol is "webhook"';
  const kind = kindOf(hostname);
  if (['metadata', 'link-local', 'reserved'].includes(kind)) {
    return `an address that requests may go to, unlike this one (${kind})`;
  }
  if (kind !== 'public' && !allowPrivate) {
    return 'a public address, unless allowPrivateAddress is true';
  }
  return urlProblem(endpoint);
}

function kindOf(hostname: string): ReturnType<typeof addressKind> {
  if (/(^|\.)localhost\.?$/.test(hostname)) return 'loopback';
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? 'public' : addressKind(address);
}
