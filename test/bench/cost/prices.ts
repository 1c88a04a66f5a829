/**
 * List prices of AWS in US dollars, region us-east-1, as of 2026-11-21. No free tier is counted: it holds
 * for the whole account, which may need it elsewhere.
 *
 * The first address is AWS's price page, whose tables are filled in by scripts. `Confirmed` names a page
 * that was read on that day and has the same price; `common knowledge` was confirmed nowhere.
 */
export const PRICES = {
  /**
   * arm64, first tier. https://aws.amazon.com/lambda/pricing/
   * Confirmed: https://cloudchipr.com/blog/aws-lambda-pricing
   */
  lambdaGbSecond: 0.0000133334,
  /** The same page; common knowledge. */
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
  /** Point-in-time recovery. The same page; common knowledge. */
  backedUpGbMonth: 0.2,
  /**
   * Standard topic; deliveries to SQS and Lambda are free. https://aws.amazon.com/sns/pricing/
   * Confirmed: https://www.factualminds.com/blog/amazon-sns-pricing-publishes-fanout-protocols/
   */
  publishRequest: 0.5 / 1e6,
  /** Standard queue, of up to 64 KB. https://aws.amazon.com/sqs/pricing/, common knowledge. */
  queueRequest: 0.4 / 1e6,
  /** EventBridge Pipes, of up to 64 KB. https://aws.amazon.com/eventbridge/pricing/, common knowledge. */
  pipeRequest: 0.4 / 1e6,
  /** A custom event of up to 64 KB on a bus. The same page; common knowledge. */
  busEvent: 1 / 1e6,
  /**
   * https://aws.amazon.com/secrets-manager/pricing/
   * Confirmed: https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms
   */
  secretMonth: 0.4,
  /** As for {@link secretMonth}. */
  secretRequest: 0.05 / 1e4,
  /**
   * Requests with AWS managed keys, which cost nothing to keep. https://aws.amazon.com/kms/pricing/
   * Confirmed: https://www.wring.co/blog/aws-kms-pricing-guide
   */
  keyRequest: 0.03 / 1e4,
  /**
   * Custom metrics. https://aws.amazon.com/cloudwatch/pricing/
   * Confirmed: https://signoz.io/guides/cloudwatch-pricing
   */
  metricMonth: 0.3,
  /**
   * Each metric that an alarm of standard resolution reads. The same page.
   * Confirmed: https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/
   */
  alarmMonth: 0.1,
  /** Beyond three in an account. As for {@link alarmMonth}. */
  dashboardMonth: 3,
  /**
   * Log ingestion. The same page.
   * Confirmed: https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/
   */
  loggedGb: 0.5,
  /** Log storage, of compressed bytes. The same page; common knowledge. */
  storedLogGbMonth: 0.03,
  /**
   * Out to the internet, first tier. https://aws.amazon.com/ec2/pricing/on-demand/
   * Confirmed: https://www.egresscost.com/aws
   */
  sentGb: 0.09,
} as const;
