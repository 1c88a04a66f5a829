/** One of the six fields of a cron expression. Each also takes `*`. */
interface CronField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Names of the values, the first is 1. */
  readonly names?: readonly string[];
  /** Whether `1/3` is allowed: each third one. */
  readonly hasSteps: boolean;
  /** What the field also takes, but not in a list. */
  readonly alone?: RegExp;
  /** Examples of `alone`, for the message. */
  readonly examples?: readonly string[];
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
const FIELDS: readonly CronField[] = [
  { name: 'minutes', from: 0, to: 59, hasSteps: true },
  { name: 'hours', from: 0, to: 23, hasSteps: true },
  {
    ...{ name: 'day of month', from: 1, to: 31, hasSteps: true },
    alone: /^(\?|L|(0?[1-9]|[12]\d|3[01])W)$/,
    examples: ['?', 'L', '15W'],
  },
  { name: 'month', from: 1, to: 12, names: MONTHS, hasSteps: true },
  {
    ...{ name: 'day of week', from: 1, to: 7, names: WEEKDAYS, hasSteps: false },
    alone: new RegExp(`^(\\?|L|([1-7]|${WEEKDAYS.join('|')})(L|#[1-5]))$`),
    examples: ['?', 'L', '6L', '6#2'],
  },
  { name: 'year', from: 1970, to: 2199, hasSteps: true },
];

/** What EventBridge Scheduler allows instead of a `cron(…)`; undefined if it takes it. */
export function cronProblem(expression: string): string | undefined {
  const values = expression.slice('cron('.length, -1).split(' ');
  const wrong = FIELDS.flatMap((field, index) => {
    const value = values[index] ?? '';
    return isAllowed(value, field) ? [] : [`${describe(field)}, not ${JSON.stringify(value)}`];
  });
  if (wrong.length > 0) return wrong.join('; ');
  const [, , dayOfMonth, , dayOfWeek] = values;
  const isOneOpen = (dayOfMonth === '?') !== (dayOfWeek === '?');
  return isOneOpen ? undefined : '"?" for either day of month or day of week, and not for both';
}

function isAllowed(value: string, field: CronField): boolean {
  if (field.alone?.test(value) === true) return true;
  return value.split(',').every((item) => {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
    const { from, to, names = [], hasSteps } = field;
    const isStepAllowed = hasSteps && Number(step) >= 1 && Number(step) <= to - from;
    if (step !== undefined && !isStepAllowed) return false;
    if (range === '*') return true;
    const ends = range.split('-').map((end) => numberOf(end, names));
    const [first = NaN, last = first] = ends;
    return ends.length <= 2 && from <= first && first <= last && last <= to;
  });
}

function numberOf(end: string, names: readonly string[]): number {
  if (/^\d+$/.test(end)) return Number(end);
  return names.includes(end) ? names.indexOf(end) + 1 : NaN;
}

function describe({ name, from, to, names, hasSteps, examples = [] }: CronField): string {
  const words = names === undefined ? '' : ` or ${names[0]} to ${names.at(-1)}`;
  const step = hasSteps ? [`${from}/3`] : [];
  const forms = ['*', from, `${from},${to}`, `${from}-${to}`, ...step, ...examples];
  return `${name} from ${from} to ${to}${words}, as ${forms.join(' or ')}`;
}
