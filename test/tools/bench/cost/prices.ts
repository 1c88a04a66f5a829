/**
 * List prices of AWS in US dollars, region us-east-1, as of 2026-11-21. No free tier is counted: it
 * holds for the whole account, which may need it elsewhere.
 */
export const PRICES = {
  /** https://aws.amazon.com/lambda/pricing/, arm64, first tier. */
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2 / 1e6,
  /** https://aws.amazon.com/eventbridge/pricing/ */
  scheduledTick: 1 / 1e6,
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/, with point-in-time recovery. */
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  storedGbMonth: 0.25,
  backedUpGbMonth: 0.2,
  /** https://aws.amazon.com/sns/pricing/; deliveries to SQS and Lambda are free. */
  publishRequest: 0.5 / 1e6,
  /** https://aws.amazon.com/secrets-manager/pricing/ */
  secretMonth: 0.4,
  secretRequest: 0.05 / 1e4,
  /** https://aws.amazon.com/kms/pricing/; AWS managed keys cost nothing to keep. */
  keyRequest: 0.03 / 1e4,
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  metricMonth: 0.3,
  /** Of each metric that an alarm reads. */
  alarmMonth: 0.1,
  /** Beyond three in an account. */
  dashboardMonth: 3,
  loggedGb: 0.5,
  storedLogGbMonth: 0.03,
  /** https://aws.amazon.com/ec2/pricing/on-demand/, out to the internet, first tier. */
  sentGb: 0.09,
} as const;
