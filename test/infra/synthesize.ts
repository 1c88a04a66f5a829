import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { parseConfig } from '../../infra/config/config.ts';
import { NotifierStack } from '../../infra/notifier-stack.ts';

const CDK_JSON = new URL('../../cdk.json', import.meta.url);

export const ADDRESSES = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
};

/** The context of cdk.json, with switches that keep the synthesis fast: nothing is bundled. */
export function contextForTests(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(CDK_JSON, 'utf8')) as {
    context: Record<string, unknown>;
  };
  return { ...context, 'aws:cdk:bundling-stacks': [] };
}

/** An app with one stage. */
export interface TestApp {
  readonly app: App;
  readonly stack: NotifierStack;
  /** Deletes the folder that the app writes to. */
  readonly remove: () => void;
}

/** An app with one stage, `test`, whose config is the two addresses and what is given. */
export function makeStack(config: Record<string, unknown> = {}): TestApp {
  const stages = parseConfig({ test: { ...ADDRESSES, ...config } });
  const [[stage, checked] = []] = Object.entries(stages);
  if (stage === undefined || checked === undefined) throw new Error('no stage');
  // Left to itself, the app would make a folder that nobody deletes.
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-synth-'));
  const app = new App({ context: contextForTests(), outdir });
  return {
    app,
    stack: new NotifierStack(app, stage, checked),
    remove: () => {
      rmSync(outdir, { recursive: true });
    },
  };
}

/**
 * The template of such a stack.
 *
 * @param change makes something of the stack before it is synthesized.
 */
export function makeTemplate(
  config: Record<string, unknown> = {},
  change: (stack: NotifierStack) => void = () => undefined,
): Template {
  const { stack, remove } = makeStack(config);
  try {
    change(stack);
    return Template.fromStack(stack);
  } finally {
    remove();
  }
}
