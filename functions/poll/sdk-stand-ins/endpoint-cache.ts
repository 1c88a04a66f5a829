/**
 * Stands in for the cache of discovered endpoints, which the DynamoDB client makes and never asks:
 * endpoint discovery is switched off. The bundler puts it there, see `infra/constructs/bundling.ts`.
 */
export function EndpointCache(): void {
  // Holds nothing.
}
