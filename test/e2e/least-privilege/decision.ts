import { getGrantReasons, runSimulation } from '@cloud-copilot/iam-simulate';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../../infra/local/embedded/endpoints.ts';
import { nameOf, type AccessRequest } from './access-request.ts';
import type { Grant, ResourcePolicies, Role } from './policies.ts';

/** IAM's answer to a request. */
export interface Decision {
  readonly result: 'Allowed' | 'ExplicitlyDenied' | 'ImplicitlyDenied';
  /** The role's grants that allow it. */
  readonly grants: readonly Grant[];
}

/**
 * Decides about a request of a role as IAM does.
 *
 * @param overTls whether it comes by HTTPS, a condition that the policies put on such
 *   requests.
 */
export async function decide(
  request: AccessRequest,
  role: Role,
  policies: ResourcePolicies,
  overTls = true,
): Promise<Decision> {
  const outcome = await runSimulation(
    {
      request: {
        principal: role.arn,
        action: request.action,
        resource: { resource: request.resource, accountId: LOCAL_ACCOUNT },
        contextVariables: {
          'aws:SecureTransport': String(overTls),
          'aws:PrincipalArn': role.arn,
          ...(request.partition !== undefined && {
            'dynamodb:LeadingKeys': [request.partition],
          }),
          ...(request.via !== undefined && {
            'kms:ViaService': `${request.via}.${LOCAL_REGION}.amazonaws.com`,
          }),
        },
      },
      identityPolicies: [{ name: 'role', policy: policyOf(role) }],
      resourcePolicy: policies.get(holderOf(request.resource)),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (outcome.resultType !== 'single') {
    throw new TypeError(`IAM cannot decide about ${nameOf(request)}: ${JSON.stringify(outcome)}`);
  }
  const { analysis } = outcome.result;
  const grants = getGrantReasons(analysis).flatMap((reason) =>
    reason.policyType === 'identity' ? (role.grants[reason.statementIndex - 1] ?? []) : [],
  );
  return { result: analysis.result, grants };
}

/** The policy about an object is that of its bucket. */
function holderOf(resource: string): string {
  return resource.startsWith('arn:aws:s3:::') ? resource.replace(/\/.*/, '') : resource;
}

/** A policy with one statement per grant, in their order. */
function policyOf({ grants }: Role): object {
  return {
    Version: '2012-10-17',
    Statement: grants.map(({ action, resource, condition }) => ({
      Effect: 'Allow',
      Action: action,
      Resource: resource,
      ...(condition && { Condition: condition }),
    })),
  };
}
