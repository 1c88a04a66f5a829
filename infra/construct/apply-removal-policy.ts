import type { RemovalPolicy, Resource } from 'aws-cdk-lib';

/**
 * Retains or deletes a resource together with its resource policy. A resource that outlives its
 * policy would take requests without TLS.
 *
 * @param resource has a policy already.
 */
export function applyRemovalPolicy(resource: Resource, removalPolicy: RemovalPolicy): void {
  const policy = resource.node.findChild('Policy') as Resource;
  for (const each of [resource, policy]) each.applyRemovalPolicy(removalPolicy);
}
