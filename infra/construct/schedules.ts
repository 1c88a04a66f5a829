import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { allow, inAccount, makeRole } from './permissions.ts';

/** The shortest age that Scheduler and Lambda accept. */
export const MAX_AGE = Duration.minutes(1);

export interface Ticks {
  readonly description: string;
  readonly enabled: boolean;
  /** An expression of EventBridge Scheduler. */
  readonly expression: string;
  readonly input?: object;
}

/**
 * Starts functions at set times. Nothing is retried: the next time is the retry.
 *
 * The group is of its own: Scheduler has metrics of groups, not of schedules.
 */
export class Schedules {
  readonly group: ScheduleGroup;
  readonly #scope: Construct;
  readonly #role: iam.Role;

  /** @param prefix of the ids of group and role. */
  constructor(scope: Construct, prefix: '' | 'Schedule', description: string) {
    this.#scope = scope;
    // By default it outlives the stack, and its name is taken then: the next deployment would fail.
    this.group = new ScheduleGroup(scope, `${prefix}Group`, {
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const source = { ...inAccount(scope), 'aws:SourceArn': this.group.scheduleGroupArn };
    const conditions = { StringEquals: source };
    this.#role = makeRole(scope, `${prefix}Role`, 'scheduler', description, conditions);
  }

  add(id: string, { functionArn: arn }: IFunction, ticks: Ticks): void {
    const { description, enabled, expression, input } = ticks;
    allow(this.#role, ['lambda:InvokeFunction'], arn);
    // LambdaInvoke would also allow every version and alias of the function.
    const target = {
      arn,
      role: this.#role,
      ...(input && { input: ScheduleTargetInput.fromObject(input) }),
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: MAX_AGE.toSeconds() },
    };
    const schedule = new Schedule(this.#scope, id, {
      description,
      enabled,
      schedule: ScheduleExpression.expression(expression),
      target: { bind: () => target },
      scheduleGroup: this.group,
    });
    // Otherwise its first ticks may come before the permission to invoke.
    schedule.node.addDependency(this.#role);
  }
}
