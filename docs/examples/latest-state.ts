import {
  ConditionalCheckFailedException,
  PutItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { ChangeEvent } from 'sitecast/events';

/**
 * Keeps the latest state of every entity in a table with the string key `subject`. Whatever comes
 * twice, late or out of order, the table ends up right: a state replaces only one with a lower
 * sequence, and the database decides that in one step, so any number of consumers may share the table.
 *
 * A deleted entity stays as a row with `deleted`. Without it an older event that comes late would
 * bring the entity back.
 *
 * @returns false when the table has this state or a later one already.
 */
export async function keepLatest(
  database: DynamoDBClient,
  table: string,
  event: ChangeEvent,
): Promise<boolean> {
  const isDeleted = event.type.endsWith('.deleted') || Boolean(event.data.object.deleted_at);
  const put = new PutItemCommand({
    TableName: table,
    Item: {
      subject: { S: event.subject },
      sequence: { S: event.sequence },
      deleted: { BOOL: isDeleted },
      object: { S: JSON.stringify(event.data.object) },
    },
    // `sequence` is a reserved word of DynamoDB.
    ConditionExpression: 'attribute_not_exists(subject) OR #sequence < :sequence',
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
