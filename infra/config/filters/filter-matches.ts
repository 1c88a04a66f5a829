/** What is known of one event: texts by name; undefined for a name that the event does not have. */
export type KnownEvent = Readonly<Record<string, string | undefined>>;

type Policy = Readonly<Record<string, unknown>>;

/** Whether a valid policy may match an event. Names that are not known of the event may have any value. */
export function canMatch(policy: Policy, event: KnownEvent): boolean {
  return Object.entries(policy).every(([key, condition]) => {
    if (key === '$or') return (condition as Policy[]).some((each) => canMatch(each, event));
    if (!Object.hasOwn(event, key) || !Array.isArray(condition)) return true;
    return condition.some((item: unknown) => matches(item, event[key]));
  });
}

/** Whether a value or condition of a valid policy matches a text, or its absence. */
export function matches(item: unknown, text: string | undefined): boolean {
  if (typeof item !== 'object' || item === null) return item === text;
  const [[operator, operand] = []] = Object.entries(item) as [string, unknown][];
  if (operator === 'exists') return operand === (text !== undefined);
  if (text === undefined) return false;
  switch (operator) {
    case 'prefix':
      return text.startsWith(String(operand));
    case 'suffix':
      return text.endsWith(String(operand));
    case 'equals-ignore-case':
      return text.toLowerCase() === String(operand).toLowerCase();
    case 'wildcard':
      return wildcardPattern(String(operand)).test(text);
    case 'anything-but':
      return ![operand].flat().some((each) => matches(each, text));
    default:
      return false;
  }
}

/** A star stands for any characters, unless a backslash is before it. */
function wildcardPattern(wildcard: string): RegExp {
  const source = wildcard.replace(/\\(.)|[^\w]/gs, (part: string, escaped?: string) =>
    part === '*' ? '.*' : (escaped ?? part).replace(/\W/, '\\$&'),
  );
  return new RegExp(`^${source}$`, 's');
}
