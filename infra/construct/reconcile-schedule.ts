import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import {
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { scheduleExpression } from '../../functions/settings/reconcile-fields.ts';

export interface ReconcileScheduleProps {
  /** See `reconcile.schedule` in the config. */
  readonly schedule: string;
  readonly enabled: boolean;
  /** The control function. */
  readonly control: lambda.IFunction;
}

/** The order to reconcile all lists, see `ControlRequest`. */
const REQUEST = { command: 'reconcile', scope: {} };

/** The shortest age that Scheduler accepts. An order that is not delivered waits for the next time. */
const MAX_AGE = Duration.minutes(1);

/** Has the control function order a reconciliation of all lists, again and again. */
export class ReconcileSchedule extends Construct {
  /** Of its own: Scheduler's metrics tell groups apart, not schedules. */
  readonly group: ScheduleGroup;

  constructor(scope: Construct, id: string, props: ReconcileScheduleProps) {
    super(scope, id);
    const { schedule, enabled, control } = props;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const role = new iam.Role(this, 'Role', {
      description: 'Lets the schedule order a reconciliation',
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.group.scheduleGroupArn,
          },
        },
      }),
    });
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [control.functionArn],
      }),
    );
    const target = {
      arn: control.functionArn,
      role,
      input: ScheduleTargetInput.fromObject(REQUEST),
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: MAX_AGE.toSeconds() },
    };
    const order = new Schedule(this, 'Schedule', {
      description: 'Orders a reconciliation of all lists',
      enabled,
      schedule: ScheduleExpression.expression(scheduleExpression(schedule)),
      target: { bind: () => target },
      scheduleGroup: this.group,
    });
    order.node.addDependency(role);
  }
}
