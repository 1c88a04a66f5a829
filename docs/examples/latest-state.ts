import {
  ConditionalCheckFailedException,
  PutItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { isKnownEvent, type ChangeEvent } from 'sitecast/events';

/** Bytes of an object that fit an item of DynamoDB (400 KB) beside the other attributes. */
const MAX_OBJECT_BYTES = 350_000;

/**
 * Saves the latest state of every entity in a table with the string key `entity`. Repeats and late
 * events are harmless: a conditional write replaces a state only by one with a higher sequence, so any
 * number of consumers may share the table.
 *
 * A deleted entity stays as an item with `deleted`; otherwise a late event would bring the entity back.
 * An entity that does not fit an item is saved without its object: put such objects into S3 first.
 *
 * @returns false if the table already has this state or a later one, or if the type is unknown.
 */
export async function keepLatest(
  database: DynamoDBClient,
  table: string,
  event: ChangeEvent,
): Promise<boolean> {
  if (!isKnownEvent(event)) return false;
  // A deleted entity may be updated.
  const isDeleted = event.type.endsWith('.deleted') || Boolean(event.data.object.deleted_at);
  const object = JSON.stringify(event.data.object);
  const put = new PutItemCommand({
    TableName: table,
    Item: {
      entity: { S: event.source + event.subject },
      sequence: { S: event.sequence },
      deleted: { BOOL: isDeleted },
      ...(Buffer.byteLength(object) <= MAX_OBJECT_BYTES && { object: { S: object } }),
    },
    // `sequence` is a reserved word of DynamoDB.
    ConditionExpression: 'attribute_not_exists(entity) OR #sequence < :sequence',
    ExpressionAttributeNames: { '#sequence': 'sequence' },
    ExpressionAttributeValues: { ':sequence': { S: event.sequence } },
  });
  try {
    await database.send(put);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
