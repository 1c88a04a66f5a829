import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { parseConfig } from '../../infra/config.ts';
import { NotifierStack } from '../../infra/notifier-stack.ts';

const CDK_JSON = new URL('../../cdk.json', import.meta.url);

/** The context of cdk.json, with switches that keep the synthesis fast: nothing is bundled. */
export function contextForTests(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(CDK_JSON, 'utf8')) as {
    context: Record<string, unknown>;
  };
  return { ...context, 'aws:cdk:bundling-stacks': [] };
}

/** An app with one stage, `test`, whose config is the two addresses and what is given. */
export function makeStack(config: Record<string, unknown> = {}): {
  app: App;
  stack: NotifierStack;
} {
  const app = new App({ context: contextForTests() });
  const stages = parseConfig({
    test: {
      baseUrl: 'https://api.example.com',
      authUrl: 'https://auth.example.com',
      ...config,
    },
  });
  const [[stage, checked] = []] = Object.entries(stages);
  if (stage === undefined || checked === undefined) throw new Error('no stage');
  return { app, stack: new NotifierStack(app, stage, checked) };
}
