import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { isLoopback } from '../../../../functions/settings/service-url.ts';
import type { FunctionDefinition } from '../../lambda/lambda-host.ts';
import type { Clients } from '../clients.ts';
import type { Provisioned } from '../provision.ts';

/** A webhook of the template that delivers from this machine. */
export interface LocalWebhook {
  readonly name: string;
  readonly url: string;
  /** `whsec_…`: verifies what arrives. */
  readonly secret: string;
}

/** What the function of a webhook is told of it. */
const Settings = z.object({ name: z.string(), url: z.string() });
const GeneratedSecret = z.object({ prefix: z.string(), key: z.string() });

/**
 * Lets the queue of a webhook stand in for its endpoint, unless that is on this machine or was asked for: a stage's
 * endpoints are no place for events of a trial.
 *
 * @param urls endpoints elsewhere to which webhooks deliver nevertheless.
 */
export function holdBackWebhooks(provisioned: Provisioned, urls: readonly string[]): Provisioned {
  const allowed = new Set(urls.map((url) => new URL(url).href));
  const standIns = provisioned.mappings.flatMap(({ functionArn, queueUrl }) => {
    const { url } = webhookOf(provisioned, functionArn) ?? {};
    if (url === undefined || allowed.has(new URL(url).href)) return [];
    if (isLoopback(new URL(url).hostname)) return [];
    return [{ protocol: 'webhook', endpoint: url, queueUrl, isRaw: true }];
  });
  const heldBack = new Set(standIns.map(({ queueUrl }) => queueUrl));
  return {
    ...provisioned,
    mappings: provisioned.mappings.filter(({ queueUrl }) => !heldBack.has(queueUrl)),
    standIns: [...provisioned.standIns, ...standIns],
  };
}

/** Finds the webhooks that deliver, with the secrets that sign. */
export function findWebhooks(provisioned: Provisioned, clients: Clients): Promise<LocalWebhook[]> {
  const found = provisioned.mappings.flatMap(({ functionArn }) => {
    const webhook = webhookOf(provisioned, functionArn);
    return webhook ? [webhook] : [];
  });
  return Promise.all(
    found.map(async ({ secretArn, ...webhook }) => {
      const get = new GetSecretValueCommand({ SecretId: secretArn });
      const { SecretString = '' } = await clients.secretsManager.send(get);
      return { ...webhook, secret: readSecret(SecretString) };
    }),
  );
}

function readSecret(text: string): string {
  if (!text.startsWith('{')) return text;
  const { prefix, key } = GeneratedSecret.parse(JSON.parse(text));
  return prefix + key;
}

function webhookOf({ functions }: Provisioned, functionArn: string) {
  const { environment } = functions.find(({ arn }) => arn === functionArn) ?? noFunction;
  const { SITECAST_WEBHOOK: settings, SITECAST_WEBHOOK_SECRET_ARN: secretArn = '' } = environment;
  return settings === undefined
    ? undefined
    : { ...Settings.parse(JSON.parse(settings)), secretArn };
}

const noFunction: Pick<FunctionDefinition, 'environment'> = { environment: {} };
