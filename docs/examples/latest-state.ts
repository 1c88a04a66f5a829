import {
  ConditionalCheckFailedException,
  PutItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { isKnownEvent, type ChangeEvent } from 'sitecast/events';

/** Bytes of an object that fit a row of DynamoDB beside the rest. */
const LARGEST_OBJECT = 350_000;

/**
 * Keeps the latest state of every entity in a table with the string key `entity`. Whatever comes
 * twice, late or out of order, the table ends up right: a state replaces only one with a lower
 * sequence, and the database decides that in one step, so any number of consumers may share the table.
 *
 * A deleted entity stays as a row with `deleted`. Without it an older event that comes late would
 * bring the entity back. An entity that does not fit a row (400 KB) is kept without its object: where there
 * are such, put the object into S3 first.
 *
 * @returns false when the table has this state or a later one already, and for types that are not known.
 */
export async function keepLatest(
  database: DynamoDBClient,
  table: string,
  event: ChangeEvent,
): Promise<boolean> {
  if (!isKnownEvent(event)) return false;
  // Also an entity that is deleted may be updated.
  const isDeleted = event.type.endsWith('.deleted') || Boolean(event.data.object.deleted_at);
  const object = JSON.stringify(event.data.object);
  const put = new PutItemCommand({
    TableName: table,
    Item: {
      entity: { S: event.source + event.subject },
      sequence: { S: event.sequence },
      deleted: { BOOL: isDeleted },
      ...(Buffer.byteLength(object) <= LARGEST_OBJECT && { object: { S: object } }),
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
