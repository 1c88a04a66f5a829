/**
 * Names that the dimension `error` may have. CloudWatch bills each value as a metric of its own, so the
 * names are bounded: errors of other names count as `Other`.
 */
export const ERROR_DIMENSIONS = [
  'ClaimCheckFailedError',
  'FatalError',
  'FeedConflictError',
  'PublishFailedError',
  'TableFormatError',
  'Other',
] as const;

/** The name under which a failed run is counted. Of several errors the first counts. */
export function errorDimension(error: unknown): (typeof ERROR_DIMENSIONS)[number] {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const name = first instanceof Error ? first.name : '';
  return ERROR_DIMENSIONS.find((known) => known === name) ?? 'Other';
}
