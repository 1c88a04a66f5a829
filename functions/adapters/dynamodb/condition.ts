import { randomBytes } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { text, type Item } from './items.ts';

/** A condition on the stored item, and the values it names. */
export type Condition = Pick<
  PutItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** Holds while no item has the key. */
export const IS_ABSENT: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * A conditional put that can be repeated. The SDK repeats a call whose answer was lost; by the mark `w` the
 * repeat recognises its own item.
 */
export function markedPut(
  item: Item,
  { ConditionExpression, ExpressionAttributeValues }: Condition,
) {
  const mark = text(randomBytes(6).toString('base64url'));
  return {
    Item: { ...item, w: mark },
    ConditionExpression: `(${ConditionExpression}) OR w = :mark`,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':mark': mark },
  };
}

/** @returns undefined when the condition of the write failed. */
export async function ifConditionHolds<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
