import {
  CreateTableCommand,
  waitUntilTableExists,
  type CreateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../embedded/endpoints.ts';
import { noEffect, readProperties, type Provisioner } from './provisioner.ts';

/** Properties that are passed to CreateTable unchanged; the database checks them. */
const Schema = z.object({
  TableName: z.string().optional(),
  KeySchema: z.unknown(),
  AttributeDefinitions: z.unknown(),
  BillingMode: z.unknown().optional(),
  ProvisionedThroughput: z.unknown().optional(),
  GlobalSecondaryIndexes: z.unknown().optional(),
  LocalSecondaryIndexes: z.unknown().optional(),
});

/** The embedded database has no expiry, encryption, replicas or backups. */
const Table = Schema.extend({
  DeletionProtectionEnabled: noEffect,
  PointInTimeRecoverySpecification: noEffect,
  Replicas: noEffect,
  SSESpecification: noEffect,
  TableClass: noEffect,
  Tags: noEffect,
  TimeToLiveSpecification: noEffect,
}).strict();

/** Creates an `AWS::DynamoDB::Table`, or an `AWS::DynamoDB::GlobalTable` in one region. */
export const createTable: Provisioner = async (desired, { clients }) => {
  const properties = readProperties(Table, desired);
  const name = properties.TableName ?? desired.logicalId;
  const input = { ...Schema.parse(properties), TableName: name } as CreateTableCommandInput;
  await clients.dynamodb.send(new CreateTableCommand(input));
  await waitUntilTableExists(
    { client: clients.dynamodb, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.5 },
    { TableName: name },
  );
  const arn = `arn:aws:dynamodb:${LOCAL_REGION}:${LOCAL_ACCOUNT}:table/${name}`;
  return { ref: name, attributes: { Arn: arn } };
};
