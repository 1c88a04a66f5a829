/**
 * List prices of AWS in US dollars, region us-east-1, as of 2026-11-21. Free tiers are not counted, those
 * that never end included: 400,000 GB-seconds of Lambda, 14 million ticks of the scheduler, 100 GB of
 * traffic and others are for the whole account, which may need them elsewhere.
 *
 * None was read on a price page of AWS, whose tables are filled in by scripts. `Confirmed` names a page
 * of somebody else that was read on that day and has the same price; `as commonly known` was found
 * nowhere. The first address is the price page: look there before you rely on one.
 */
export const PRICES = {
  /**
   * arm64, first tier. https://aws.amazon.com/lambda/pricing/
   * Confirmed: https://cloudchipr.com/blog/aws-lambda-pricing
   */
  lambdaGbSecond: 0.0000133334,
  /** Of the same page; as commonly known. */
  lambdaRequest: 0.2 / 1e6,
  /**
   * EventBridge Scheduler. https://aws.amazon.com/eventbridge/pricing/
   * Confirmed: https://cloudburn.io/blog/amazon-eventbridge-pricing
   */
  scheduledTick: 1 / 1e6,
  /**
   * On demand, standard table class. https://aws.amazon.com/dynamodb/pricing/on-demand/
   * Confirmed: https://airbyte.com/data-engineering-resources/dynamodb-pricing
   */
  readUnit: 0.125 / 1e6,
  /** As for {@link readUnit}. */
  writeUnit: 0.625 / 1e6,
  /** Confirmed, in an older copy of the page itself: https://aws.amazon.com/dynamodb/pricing/ */
  storedGbMonth: 0.25,
  /** Point-in-time recovery, of the same page; as commonly known. */
  backedUpGbMonth: 0.2,
  /**
   * Standard topic; deliveries to SQS and Lambda are free. https://aws.amazon.com/sns/pricing/
   * Confirmed: https://www.factualminds.com/blog/amazon-sns-pricing-publishes-fanout-protocols/
   */
  publishRequest: 0.5 / 1e6,
  /**
   * https://aws.amazon.com/secrets-manager/pricing/
   * Confirmed: https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms
   */
  secretMonth: 0.4,
  /** As for {@link secretMonth}. */
  secretRequest: 0.05 / 1e4,
  /**
   * Requests with the keys of AWS, which cost nothing to keep. https://aws.amazon.com/kms/pricing/
   * Confirmed: https://www.wring.co/blog/aws-kms-pricing-guide
   */
  keyRequest: 0.03 / 1e4,
  /**
   * Custom metrics. https://aws.amazon.com/cloudwatch/pricing/
   * Confirmed: https://signoz.io/guides/cloudwatch-pricing
   */
  metricMonth: 0.3,
  /**
   * Logs taken in; keeping them is not counted. The same page.
   * Confirmed: https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/
   */
  loggedGb: 0.5,
  /**
   * Out to the internet, first tier. https://aws.amazon.com/ec2/pricing/on-demand/
   * Confirmed: https://www.egresscost.com/aws
   */
  sentGb: 0.09,
} as const;
