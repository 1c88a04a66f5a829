import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { fields, matching, text } from '../../functions/settings/field-types.ts';
import { isLoopback, urlProblem } from '../../functions/settings/service-url.ts';
import { reference } from './reference.ts';

/** The folder of cdk.json, from which paths in it start: the CDK starts the app there. */
export const CONFIG_FOLDER = pathToFileURL(`${process.cwd()}/`);

const MAX_TAGS = 40;

const tag = matching(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,256}$/u, 'a text of 1 to 256 characters');
const tagName = matching(
  /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/iu,
  'a name of at most 128 letters, digits, spaces and _ . : / = + - @ that does not start with aws:',
);

const vpc = fields({
  /** Private subnets in which the poller runs, best in two zones. They need a way out: a NAT gateway or a proxy. */
  subnetIds: z
    .array(reference(/^subnet-[0-9a-f]{8,17}$/, 'an id such as subnet-0a1b2c3d'), {
      error: 'a list of ids of 1 to 16 subnets',
    })
    .check(
      z.minLength(1, { error: 'a list of ids of 1 to 16 subnets' }),
      z.maxLength(16, { error: 'a list of ids of 1 to 16 subnets' }),
    ),
  /** Security groups of the poller, which must allow HTTPS outwards. */
  securityGroupIds: z
    .array(reference(/^sg-[0-9a-f]{8,17}$/, 'an id such as sg-0a1b2c3d'), {
      error: 'a list of ids of 1 to 5 security groups',
    })
    .check(
      z.minLength(1, { error: 'a list of ids of 1 to 5 security groups' }),
      z.maxLength(5, { error: 'a list of ids of 1 to 5 security groups' }),
    ),
});

/** What a stage shares with other parts of an account: each is made and kept by somebody else. */
export const surroundings = {
  /** Tags of the stack, which CloudFormation passes on to its resources. Default: none. */
  tags: z._default(
    z.record(tagName, tag, { error: 'an object: values by name' }).check(
      z.refine((tags) => Object.keys(tags).length <= MAX_TAGS, {
        error: `an object of at most ${MAX_TAGS} tags`,
      }),
    ),
    {},
  ),
  /** ARN of the IAM policy that bounds every role of the stack. Default: none. */
  permissionsBoundaryArn: z.optional(
    reference(/^arn:aws[\w-]*:iam::(\d{12}|aws):policy\/\S{1,512}$/, 'ARN of an IAM policy'),
  ),
  /** Subnets and security groups of the poller. Default: none, the poller has the network of Lambda. */
  vpc: z.optional(vpc),
  /**
   * Proxy for the calls of the service: its address without user and password. Default: none. Calls of AWS stay
   * direct.
   */
  proxyUrl: z.optional(
    text('an http or https URL of a proxy').check(
      z.superRefine((address, context) => {
        const message = proxyProblem(address);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
    ),
  ),
  /**
   * File of certificates (PEM) that the poller trusts besides the public ones; its path from the folder of
   * cdk.json. Default: none. For a service or proxy with certificates of a private authority.
   */
  caBundle: z.optional(
    text('path of a file with certificates (PEM)').check(
      z.superRefine((path, context) => {
        const problem = certificatesProblem(path);
        if (problem === undefined) return;
        const message = `path of a file with certificates (PEM): ${problem}`;
        context.addIssue({ code: 'custom', message });
      }),
    ),
  ),
  /**
   * ARN of an own KMS key, for topic, table, queues, bucket, secret and logs. Default: keys of AWS. Its policy
   * must allow what docs/configuration.md says.
   */
  kmsKeyArn: z.optional(
    reference(
      /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/(mrk-)?[0-9a-f-]{32,36}$/,
      'ARN of a symmetric KMS key (arn:aws:kms:<region>:<account>:key/<id>), not of an alias',
    ),
  ),
  /**
   * ARN of an existing table that the stack uses instead of making one; it is never changed or deleted.
   * Default: none. For the table of a former stack.
   */
  existingTableArn: z.optional(
    reference(
      /^arn:aws[\w-]*:dynamodb:[\w-]+:\d{12}:table\/[\w.-]{3,255}$/,
      'ARN of a DynamoDB table',
    ),
  ),
  /**
   * ARN of an existing secret with the refresh token that the stack uses instead of making one; it is never
   * changed or deleted. Default: none.
   */
  existingSecretArn: z.optional(
    reference(
      /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
      'complete ARN of a secret, with the six characters at its end',
    ),
  ),
};

function proxyProblem(address: string): string | undefined {
  const { protocol = '', pathname = '' } = URL.parse(address) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return 'an http or https URL of a proxy';
  if (pathname !== '/' || address.includes('?')) return 'a URL without path and query';
  if (isLoopback(URL.parse(address)?.hostname ?? '')) return 'a proxy that AWS can reach';
  return urlProblem(address);
}

/** Why a file holds no certificates; undefined if it holds some. */
function certificatesProblem(path: string): string | undefined {
  try {
    const text = readFileSync(new URL(path, CONFIG_FOLDER), 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----') ? undefined : 'this file has none';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? 'this file does not exist'
      : 'this file cannot be read';
  }
}

/** The fields of a stage that must fit each other. */
interface CheckedFields {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
  readonly kmsKeyArn?: string | undefined;
  readonly existingTableArn?: string | undefined;
  readonly existingSecretArn?: string | undefined;
  readonly deletionProtection?: unknown;
}

interface SurroundingsProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Finds existing resources that the stack cannot use, and fields that say what they are. */
export function surroundingsProblems(stage: CheckedFields): SurroundingsProblem[] {
  const { region, account, existingTableArn, deletionProtection } = stage;
  const names = ['kmsKeyArn', 'existingTableArn', 'existingSecretArn'] as const;
  const problems = names.flatMap((name): SurroundingsProblem[] => {
    const ofArn = stage[name]?.split(':')[3];
    if (region === undefined || ofArn === undefined || ofArn === region) return [];
    return [{ path: [name], message: `an ARN in the region of the stack, ${region}` }];
  });
  const owner = existingTableArn?.split(':')[4];
  if (account !== undefined && owner !== undefined && owner !== account) {
    const message = `an ARN in the account of the stack, ${account}`;
    problems.push({ path: ['existingTableArn'], message });
  }
  if (existingTableArn !== undefined && deletionProtection === true) {
    const message = 'false, since the stack does not change an existing table (existingTableArn)';
    problems.push({ path: ['deletionProtection'], message });
  }
  return problems;
}
