import { BlockList, isIP, isIPv6 } from 'node:net';

type Policy = Readonly<Record<string, unknown>>;

/** The conditions that an event must meet together: lists by path, such as `data.object.name`. */
type Conditions = ReadonlyMap<string, readonly unknown[]>;

/** A text, number, boolean or null of a message. */
interface Leaf {
  readonly path: string;
  readonly value: unknown;
  /** The elements of arrays that contain the leaf: their indexes by array. */
  readonly elements: ReadonlyMap<object, number>;
}

/**
 * Whether SNS delivers a message by a valid filter policy.
 *
 * - An array matches when one of its elements does. Conditions on the fields of objects in an
 *   array must be met by the same object.
 * - The types must be the same: `"90"` is not `90`, and null is a value.
 * - A condition in `$or` replaces one on the same key before it.
 *
 * @param message the body, or values by the names of the attributes.
 */
export function matchesFilter(policy: Policy, message: unknown): boolean {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false;
  const leaves = [...leavesOf(message)];
  // The engine of SNS sorts the paths, which decides when it looks for an absent field.
  return alternativesOf(policy).some((conditions) =>
    areMet(
      [...conditions].sort(([a], [b]) => (a < b ? -1 : 1)),
      leaves,
    ),
  );
}

/** Whether a value or condition of a valid policy matches a value, or its absence (undefined). */
function matches(item: unknown, value: unknown): boolean {
  if (typeof item !== 'object' || item === null) return item === value;
  const [[operator, operand] = []] = Object.entries(item) as [string, unknown][];
  if (operator === 'exists') return operand === (value !== undefined);
  if (value === undefined) return false;
  if (operator === 'anything-but') return ![operand].flat().some((each) => matches(each, value));
  if (operator === 'numeric') {
    return typeof value === 'number' && isWithin(operand as unknown[], value);
  }
  if (typeof value !== 'string') return false;
  const text = String(operand);
  switch (operator) {
    case 'prefix':
      return value.startsWith(text);
    case 'suffix':
      return value.endsWith(text);
    case 'equals-ignore-case':
      return value.toLowerCase() === text.toLowerCase();
    case 'wildcard':
      return wildcardPattern(text).test(value);
    case 'cidr':
      return isInRange(text, value);
    default:
      return false;
  }
}

/** Resolves `$or`: an event must meet all conditions of one alternative. */
function alternativesOf(
  policy: Policy,
  prefix = '',
  outer: readonly Conditions[] = [new Map()],
): readonly Conditions[] {
  return Object.entries(policy).reduce((all, [key, value]) => {
    if (key === '$or') {
      return (value as Policy[]).flatMap((each) => alternativesOf(each, prefix, all));
    }
    const path = `${prefix}${key}`;
    return Array.isArray(value)
      ? all.map((conditions) => new Map([...conditions, [path, value]]))
      : alternativesOf(value as Policy, `${path}.`, all);
  }, outer);
}

function* leavesOf(
  value: unknown,
  path = '',
  elements: Leaf['elements'] = new Map(),
): Generator<Leaf> {
  if (typeof value !== 'object' || value === null) {
    yield { path, value, elements };
  } else if (Array.isArray(value)) {
    for (const [index, each] of (value as unknown[]).entries()) {
      yield* leavesOf(each, path, new Map([...elements, [value, index]]));
    }
  } else {
    for (const [key, each] of Object.entries(value)) {
      yield* leavesOf(each, path === '' ? key : `${path}.${key}`, elements);
    }
  }
}

/** @param chosen the elements of arrays that met the conditions before. */
function areMet(
  [first, ...others]: readonly (readonly [path: string, items: readonly unknown[]])[],
  leaves: readonly Leaf[],
  chosen: Leaf['elements'] = new Map(),
): boolean {
  if (first === undefined) return true;
  const [path, items] = first;
  const candidates = leaves.filter(
    (leaf) =>
      leaf.path === path &&
      [...leaf.elements].every(([array, index]) => (chosen.get(array) ?? index) === index),
  );
  const absent = { value: undefined, elements: new Map<object, number>() };
  return (candidates.length > 0 ? candidates : [absent]).some(
    ({ value, elements }) =>
      items.some((item) => matches(item, value)) &&
      areMet(others, leaves, new Map([...chosen, ...elements])),
  );
}

/** @param comparison operators and bounds, such as `['>=', 0, '<', 90]`. */
function isWithin([operator, bound, ...others]: readonly unknown[], value: number): boolean {
  const difference = value - Number(bound);
  const isMet =
    (difference === 0 && String(operator).includes('=')) ||
    (difference < 0 && String(operator).startsWith('<')) ||
    (difference > 0 && String(operator).startsWith('>'));
  return isMet && (others.length === 0 || isWithin(others, value));
}

/** Whether an IP address is in a range such as `10.0.0.0/24`. */
function isInRange(range: string, address: string): boolean {
  const [network = '', bits] = range.split('/');
  if (isIP(address) === 0 || isIPv6(address) !== isIPv6(network)) return false;
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

/** A star stands for any characters, unless a backslash is before it. */
function wildcardPattern(wildcard: string): RegExp {
  const source = wildcard.replace(/\\(.)|[^\w]/gs, (part: string, escaped?: string) =>
    part === '*' ? '.*' : (escaped ?? part).replace(/\W/, '\\$&'),
  );
  return new RegExp(`^${source}$`, 's');
}
