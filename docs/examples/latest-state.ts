import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  GetItemCommand,
  PutItemCommand,
  ResourceInUseException,
  waitUntilTableExists,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { isKnownEvent, versionOf, type ChangeEvent, type EntityVersion } from 'sitecast-events';

/** Bytes of an object that fit an item of DynamoDB (400 KB) beside the other attributes. */
const MAX_OBJECT_BYTES = 350_000;

/** Creates the table, unless it exists. */
export async function createTable(database: DynamoDBClient, table: string): Promise<void> {
  const create = new CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'entity', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'entity', KeyType: 'HASH' }],
  });
  try {
    await database.send(create);
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists({ client: database, maxWaitTime: 60 }, { TableName: table });
}

/**
 * Saves the latest state of the entity of an event, see {@link saveVersion}.
 *
 * @returns false if the table already has this state or a later one, or if the type is unknown.
 */
export async function keepLatest(
  database: DynamoDBClient,
  table: string,
  event: ChangeEvent,
): Promise<boolean> {
  return isKnownEvent(event) && saveVersion(database, table, versionOf(event));
}

/**
 * Saves the latest state of every entity in a table with the string key `entity`. Repeats and late
 * events are harmless: a conditional write replaces a state only by one with a higher sequence, so
 * any number of consumers may share the table.
 *
 * A deleted entity stays as an item with `deleted`; otherwise a late event would bring the entity
 * back. An entity that does not fit an item is saved without its object: put such objects into S3
 * first.
 *
 * @returns false if the table already has this state or a later one.
 */
export async function saveVersion(
  database: DynamoDBClient,
  table: string,
  { source, subject, sequence, isDeleted, object }: EntityVersion,
): Promise<boolean> {
  const text = JSON.stringify(object);
  const put = new PutItemCommand({
    TableName: table,
    Item: {
      entity: { S: source + subject },
      sequence: { S: sequence },
      deleted: { BOOL: isDeleted },
      ...(Buffer.byteLength(text) <= MAX_OBJECT_BYTES && { object: { S: text } }),
    },
    // `sequence` is a reserved word of DynamoDB.
    ConditionExpression: 'attribute_not_exists(entity) OR #sequence < :sequence',
    ExpressionAttributeNames: { '#sequence': 'sequence' },
    ExpressionAttributeValues: { ':sequence': { S: sequence } },
  });
  try {
    await database.send(put);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/**
 * Whether an entity is saved, and neither deleted itself nor in a deleted project, floorplan or
 * checklist. The content of a deleted parent has no events, so its items are not `deleted`.
 */
export async function isAlive(
  database: DynamoDBClient,
  table: string,
  source: string,
  subject: string,
): Promise<boolean> {
  // `/projects/p/floorplans/f` is in `/projects/p`.
  const names = subject.match(/\/[^/]+\/[^/]+/g) ?? [];
  const subjects = names.map((_, index) => names.slice(0, index + 1).join(''));
  const versions = await Promise.all(
    subjects.map((each) => findVersion(database, table, source, each)),
  );
  return versions.at(-1) !== undefined && versions.every((version) => version?.isDeleted !== true);
}

/** Finds the saved version of an entity. */
export async function findVersion(
  database: DynamoDBClient,
  table: string,
  source: string,
  subject: string,
): Promise<Pick<EntityVersion, 'sequence' | 'isDeleted'> | undefined> {
  const get = new GetItemCommand({
    ...{ TableName: table, Key: { entity: { S: source + subject } } },
    ProjectionExpression: '#sequence, deleted',
    ExpressionAttributeNames: { '#sequence': 'sequence' },
  });
  const { Item } = await database.send(get);
  if (Item === undefined) return undefined;
  return { sequence: Item['sequence']?.S ?? '', isDeleted: Item['deleted']?.BOOL === true };
}
