/**
 * List prices of AWS in US dollars, region us-east-1, without any free tier. Read on 2026-11-21 from
 * stored copies of the price pages; look at the pages before you rely on one.
 */
export const PRICES = {
  /** https://aws.amazon.com/lambda/pricing/: arm64. */
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2 / 1e6,
  /** https://aws.amazon.com/eventbridge/pricing/: Scheduler. */
  scheduledTick: 1 / 1e6,
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/: standard table class. */
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  storedGbMonth: 0.25,
  /** Point-in-time recovery, of the same page. */
  backedUpGbMonth: 0.2,
  /** https://aws.amazon.com/sns/pricing/: standard topic. Deliveries to SQS and Lambda are free. */
  publishRequest: 0.5 / 1e6,
  /** https://aws.amazon.com/secrets-manager/pricing/ */
  secretMonth: 0.4,
  secretRequest: 0.05 / 1e4,
  /** https://aws.amazon.com/kms/pricing/: requests with the keys of AWS, which cost nothing to keep. */
  keyRequest: 0.03 / 1e4,
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  metricMonth: 0.3,
  loggedGb: 0.5,
} as const;
