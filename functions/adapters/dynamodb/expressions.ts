import type { Row } from './attributes.ts';

/** Selects the items of a partition, or those whose sort key starts with `prefix`. */
export interface Query {
  readonly pk: string;
  readonly prefix?: string;
  /** Returns only items that match. The others are read, and billed, all the same. */
  readonly filter?: string;
  /** Returns only these attributes. */
  readonly attributes?: readonly string[];
  readonly isConsistent?: boolean;
  /** Returns the items with the largest sort keys first. */
  readonly isDescending?: boolean;
}

/** A condition on the stored item, in DynamoDB's language, and the values and names in it. */
export interface Condition {
  readonly if: string;
  readonly values?: Row;
  readonly names?: Readonly<Record<string, string>>;
}

/** Holds while no item has the key. */
export const IS_ABSENT: Condition = { if: 'attribute_not_exists(pk)' };
