import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import { UsageError } from '../cli/cli-error.ts';
import type * as Clone from './clone-parts.ts';

// What the package ships in place of what a clone makes from its sources: clone-parts.ts.

type Parts = typeof Clone;
type Variables = Record<string, unknown>;

const PACKAGE = path.resolve(import.meta.dirname, '..');

/** The maximum of webhooks: for each number there is a template. */
export const MAX_WEBHOOKS = 3;

/** Endpoints of the webhooks of a template, which those that are wanted replace. */
export const placeholders = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `https://webhook-${index + 1}.invalid/`);

/** The template with a number of webhooks, from the package's folder. */
export const templateFile = (webhookCount: number): string => `stack/webhooks-${webhookCount}.json`;

export const readPage: Parts['readPage'] = async () =>
  JSON.parse(await readFile(path.join(PACKAGE, 'console.json'), 'utf8')) as Awaited<
    ReturnType<Parts['readPage']>
  >;

export const hasCdk: Parts['hasCdk'] = false;

/** The example is in docs. */
export const readExample: Parts['readExample'] = () => ({});

export const readStage: Parts['readStage'] = (stage) => {
  throw new UsageError(
    `--stage is ${JSON.stringify(stage)}; allowed: none, since the package has no cdk.json.`,
    'Clone the repository to run a stage.',
  );
};

/** Reads the template, and puts the webhooks and the poller's config into it. */
export const synthesize: Parts['synthesize'] = async (config) => {
  const { subscribers = [] } = config as { readonly subscribers?: { endpoint: string }[] };
  if (subscribers.length > MAX_WEBHOOKS) {
    throw new UsageError(
      `--webhook is given ${subscribers.length} times; allowed: ${MAX_WEBHOOKS} times.`,
    );
  }
  let text = await readFile(path.join(PACKAGE, templateFile(subscribers.length)), 'utf8');
  for (const [index, placeholder] of placeholders(subscribers.length).entries()) {
    text = text.replaceAll(placeholder, new URL(subscribers[index]?.endpoint ?? '').href);
  }
  const template = JSON.parse(text) as Awaited<ReturnType<Parts['synthesize']>>['template'];
  for (const { Properties } of Object.values(template.Resources)) {
    const { Variables } = (Properties?.['Environment'] ?? {}) as { readonly Variables?: Variables };
    if (Variables?.['SITECAST_CONFIG'] === undefined) continue;
    Variables['SITECAST_CONFIG'] = JSON.stringify(pollerConfig.parse(config));
  }
  return {
    template,
    assetDirectory: (s3Key) => path.join(PACKAGE, 'functions', s3Key),
    warnings: [],
    remove: () => Promise.resolve(),
  };
};
