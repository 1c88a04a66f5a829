import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import {
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { scheduleExpression } from '../../functions/settings/reconcile-fields.ts';
import type { OwnKey } from './own-key.ts';

export interface ReconcileScheduleProps {
  /** See `reconcile.schedule` in the config. */
  readonly schedule: string;
  readonly enabled: boolean;
  /** The control function. */
  readonly control: lambda.IFunction;
  /** Receives orders that were not delivered. */
  readonly failures: IQueue;
  readonly key?: OwnKey | undefined;
}

/** The order to reconcile all lists, see `ControlRequest`. */
const REQUEST = { command: 'reconcile', scope: {} };

/** The shortest age that Scheduler accepts. An order that is not delivered waits for the next time. */
const MAX_AGE = Duration.minutes(1);

/** Has the control function order a reconciliation of all lists, again and again. */
export class ReconcileSchedule extends Construct {
  constructor(scope: Construct, id: string, props: ReconcileScheduleProps) {
    super(scope, id);
    const { schedule, enabled, control, failures, key } = props;
    const group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const role = new iam.Role(this, 'Role', {
      description: 'Lets the schedule order a reconciliation',
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': group.scheduleGroupArn,
          },
        },
      }),
    });
    allow(role, 'lambda:InvokeFunction', control.functionArn);
    allow(role, 'sqs:SendMessage', failures.queueArn);
    key?.grantUse(role, 'sqs');
    const target = {
      arn: control.functionArn,
      role,
      input: ScheduleTargetInput.fromObject(REQUEST),
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: MAX_AGE.toSeconds() },
      deadLetterConfig: { arn: failures.queueArn },
    };
    const order = new Schedule(this, 'Schedule', {
      description: 'Orders a reconciliation of all lists',
      enabled,
      schedule: ScheduleExpression.expression(scheduleExpression(schedule)),
      target: { bind: () => target },
      scheduleGroup: group,
    });
    order.node.addDependency(role);
  }
}

function allow(role: iam.Role, action: string, resource: string): void {
  role.addToPolicy(new iam.PolicyStatement({ actions: [action], resources: [resource] }));
}
