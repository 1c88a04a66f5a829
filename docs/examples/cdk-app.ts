import { App, Duration, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { ChangeNotifier } from 'sitecast/cdk';

const app = new App();
const stack = new Stack(app, 'BuildingSite');

const notifier = new ChangeNotifier(stack, 'Notifier', {
  config: {
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    requestsPerMinute: 300,
    monitoring: 'full',
    subscribers: [
      {
        name: 'orders',
        protocol: 'sqs',
        endpoint: 'arn:aws:sqs:eu-central-1:210987654321:orders',
      },
    ],
  },
});

// A queue of this app: the subscription lets the topic send to it.
const floorplans = new Queue(stack, 'Floorplans');
notifier.topic.addSubscription(
  new SqsSubscription(floorplans, {
    rawMessageDelivery: true,
    deadLetterQueue: new Queue(stack, 'Undelivered'),
    // A deleted project raises no events for its floorplans.
    filterPolicy: {
      entity: SubscriptionFilter.stringFilter({ allowlist: ['floorplan', 'project'] }),
    },
  }),
);

const reader = new Role(stack, 'Reader', {
  assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
});
notifier.grantSubscribe(reader);
notifier.grantReadLargeEvents(reader);

notifier
  .metric('EventsPublished', { period: Duration.hours(1) })
  .createAlarm(stack, 'ManyEvents', { threshold: 10_000, evaluationPeriods: 1 });

// For whoever puts the refresh token, and for the command line.
notifier.addOutputs();
