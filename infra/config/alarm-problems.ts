/** A stage whose fields may have any type. */
interface UncheckedStage {
  readonly monitoring?: unknown;
  readonly region?: unknown;
  readonly alarmEmail?: unknown;
  readonly alarmTopicArn?: unknown;
}

interface AlarmProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** Finds fields that contradict each other on where alarms are sent. */
export function alarmProblems(stage: UncheckedStage): AlarmProblem[] {
  const { monitoring, region, alarmEmail, alarmTopicArn } = stage;
  const given = Object.entries({ alarmEmail, alarmTopicArn }).filter(([, to]) => to !== undefined);
  if (monitoring === 'off') {
    const message = 'nothing, since monitoring "off" has no alarms';
    return given.map(([field]) => ({ path: [field], message }));
  }
  const problems: AlarmProblem[] = [];
  if (given.length > 1) {
    const message = 'nothing beside alarmTopicArn: subscribe the address to that topic';
    problems.push({ path: ['alarmEmail'], message });
  }
  const topicRegion = typeof alarmTopicArn === 'string' ? alarmTopicArn.split(':')[3] : undefined;
  if (typeof region === 'string' && topicRegion !== undefined && topicRegion !== region) {
    const message = `a topic in the stage's region (${region}), since alarms are sent to no other`;
    problems.push({ path: ['alarmTopicArn'], message });
  }
  return problems;
}
