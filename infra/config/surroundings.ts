import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { fields, matching, text } from '../../functions/settings/field-types.ts';

/** The folder of cdk.json, from which paths in it start: the CDK starts the app there. */
export const CONFIG_FOLDER = pathToFileURL(`${process.cwd()}/`);

const vpc = fields({
  /** 1 to 16 private subnets, best in two zones, with a NAT gateway or a proxy. */
  subnetIds: ids('subnet', 16, 'subnets'),
  /** 1 to 5 security groups that allow HTTPS outwards. */
  securityGroupIds: ids('sg', 5, 'security groups'),
});

function ids(prefix: string, max: number, noun: string) {
  const error = `a list of ids of 1 to ${max} ${noun}`;
  const id = reference(
    new RegExp(`^${prefix}-[0-9a-f]{8,17}$`),
    `an id such as ${prefix}-0a1b2c3d`,
  );
  return z.array(id, { error }).check(z.minLength(1, { error }), z.maxLength(max, { error }));
}

const CERTIFICATES = 'path of a file with certificates (PEM)';

/** Variables that the stack sets, or Lambda itself. */
const RESERVED_VARIABLES = [
  ...['SITECAST_.*', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'POWERTOOLS_.*', 'AWS_LAMBDA_.*'],
  ...['LAMBDA_.*', 'AWS_(DEFAULT_)?REGION', 'AWS_(ACCESS|SECRET|SESSION|EXECUTION)_.*'],
];

const variableName = matching(
  new RegExp(`^(?!(${RESERVED_VARIABLES.join('|')})$)[A-Za-z][A-Za-z0-9_]+$`),
  'a name of letters, digits and _ that neither the stack nor Lambda sets: not SITECAST_*, ' +
    'NODE_OPTIONS, NODE_EXTRA_CA_CERTS (set caBundle), POWERTOOLS_*, AWS_LAMBDA_* and the like',
);

/** Resources around a stage that somebody else makes and keeps. */
export const surroundings = {
  /** Network of the functions, see below. Default: none. */
  vpc: z.optional(vpc),
  /**
   * Variables of the functions, by name: `HTTPS_PROXY`, `AWS_USE_FIPS_ENDPOINT`. No secrets.
   * Default: none.
   */
  environment: z.optional(
    z.record(variableName, text('a text'), { error: 'an object: values by name' }),
  ),
  /**
   * Path, from the folder of cdk.json, of a file of certificates (PEM) that the functions trust,
   * too. Default: none.
   */
  caBundle: z.optional(
    text(CERTIFICATES).check(z.refine(hasCertificates, { error: CERTIFICATES })),
  ),
  /**
   * ARN of a symmetric KMS key, not of an alias. It needs the policy under "Your own KMS key" in
   * docs/configuration.md. Default: keys of AWS.
   */
  kmsKeyArn: z.optional(
    reference(
      /^arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/(mrk-)?[0-9a-f-]{32,36}$/,
      'ARN of a symmetric KMS key (arn:aws:kms:<region>:<account>:key/<id>), not of an alias',
    ),
  ),
  /**
   * ARN of the table of a former stack, which is used and never deleted. Default: a new table.
   */
  existingTableArn: z.optional(
    reference(
      /^arn:aws[\w-]*:dynamodb:[\w-]+:\d{12}:table\/[\w.-]{3,255}$/,
      'ARN of a DynamoDB table',
    ),
  ),
  /**
   * Complete ARN of a secret with the refresh token, which is used and never deleted. Default: a
   * new secret.
   */
  existingSecretArn: z.optional(
    reference(
      /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/,
      'complete ARN of a secret, with the six characters at its end',
    ),
  ),
};

function hasCertificates(path: string): boolean {
  try {
    const content = readFileSync(new URL(path, CONFIG_FOLDER), 'utf8');
    return content.includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}

/** Whether a text of the CDK stands for one that is known only at deployment. */
export function isToken(text: string): boolean {
  return text.includes('${Token[');
}

/** Text that a pattern matches, or that is known only at deployment: `queue.queueArn`. */
export function reference(pattern: RegExp, error: string) {
  const isKnown = ({ value }: z.core.ParsePayload): boolean =>
    typeof value === 'string' && !isToken(value);
  // The types of this check leave out `when`, which every check has.
  const params: { error: string } & Pick<z.core.$ZodCheckDef, 'when'> = { error, when: isKnown };
  return text(error).check(z.regex(pattern, params));
}
