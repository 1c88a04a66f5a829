import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect } from 'vitest';
import { parseConfig } from '../../infra/config/config.ts';
import { NotifierStack } from '../../infra/stack.ts';
import { ADDRESSES } from '../support/config-samples.ts';

const CDK_JSON = new URL('../../cdk.json', import.meta.url);

/** The context of cdk.json. */
export function contextOfCdkJson(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(CDK_JSON, 'utf8')) as {
    context: Record<string, unknown>;
  };
  return context;
}

export interface TestApp {
  readonly app: App;
  readonly stack: NotifierStack;
  /** Deletes the output folder. */
  readonly remove: () => void;
}

/** An app with one stage, `test`, whose config adds fields to the two addresses. */
export function makeStack(config: Record<string, unknown> = {}): TestApp {
  const stages = parseConfig({ test: { ...ADDRESSES, ...config } });
  const [[stage, checked] = []] = Object.entries(stages);
  if (stage === undefined || checked === undefined) throw new Error('no stage');
  // By default the app would create a folder that nobody deletes.
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-synth-'));
  const app = new App({
    outdir,
    // Only the template: copies of bundles and a tree of constructs take a third of the time.
    treeMetadata: false,
    context: { ...contextOfCdkJson(), 'aws:cdk:disable-asset-staging': true },
  });
  const remove = () => {
    rmSync(outdir, { recursive: true });
  };
  try {
    return { app, stack: new NotifierStack(app, stage, checked), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const templates = new Map<string, Template>();

/** The template of such a stack. Stacks with the same config are synthesized once. */
export function templateOf(config: Record<string, unknown> = {}): Template {
  const key = JSON.stringify(config);
  const template = templates.get(key) ?? synthesizeStack(config);
  templates.set(key, template);
  return template;
}

/** @param change modifies the stack before it is synthesized. */
export function synthesizeStack(
  config: Record<string, unknown>,
  change: (stack: NotifierStack) => void = () => undefined,
): Template {
  const { stack, remove } = makeStack(config);
  try {
    change(stack);
    const template = Template.fromStack(stack);
    expect(unresolvedDependencies(template)).toEqual([]);
    return template;
  } finally {
    remove();
  }
}

interface SynthesizedResource {
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
}

/**
 * Dependencies of resources on others that a condition of theirs alone may leave out.
 * CloudFormation refuses such a template: "Unresolved resource dependencies".
 */
function unresolvedDependencies(template: Template): string[] {
  const { Resources } = template.toJSON() as {
    Resources: Readonly<Record<string, SynthesizedResource>>;
  };
  return Object.entries(Resources).flatMap(([id, { Condition, DependsOn = [] }]) =>
    [DependsOn].flat().flatMap((other) => {
      const condition = Resources[other]?.Condition;
      const isResolved = condition === undefined || condition === Condition;
      return isResolved ? [] : [`${id} depends on ${other}, which ${condition} may leave out`];
    }),
  );
}

export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** Logical ID and properties of the only resource of a type whose ID matches. */
export function onlyResource(template: Template, type: string, id = /./) {
  const found = Object.entries(template.findResources(type)).filter(([key]) => id.test(key));
  expect(found, `${type} ${String(id)}`).toHaveLength(1);
  const [[logicalId, resource] = ['', {}]] = found;
  const { Properties = {} } = resource as { Properties?: Record<string, unknown> };
  return { id: logicalId, properties: Properties };
}

/** How the logical ids of a subscriber's resources begin. @param name without hyphens. */
export function idsOf(template: Template, name: string): string {
  const { Value } = template.findOutputs(`DeadLettersUrl${name}`)[`DeadLettersUrl${name}`] ?? {};
  const [ids = ''] = /^\w+?[0-9a-f]{12}(?=[A-Z])/.exec((Value as { Ref: string }).Ref) ?? [];
  expect(ids).not.toBe('');
  return ids;
}

/** The statements of the policies of a type whose ID matches. */
export function statementsOf(template: Template, type: string, id = /./): Statement[] {
  return Object.entries(template.findResources(type))
    .filter(([key]) => id.test(key))
    .flatMap(([, policy]) => {
      const { Properties } = policy as {
        Properties: { PolicyDocument: { Statement: Statement[] } };
      };
      return Properties.PolicyDocument.Statement;
    });
}
