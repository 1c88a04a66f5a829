import {
  QuarantineItems,
  QuarantineRecords,
} from '../../functions/adapters/dynamodb/quarantine.ts';
import { Table, type TableOptions } from '../../functions/adapters/dynamodb/table.ts';
import type { QuarantineOperations } from '../../functions/control/ports.ts';
import type { Quarantine } from '../../functions/core/ports/quarantine.ts';
import type { TestAws } from './aws.ts';

const DAY_MS = 86_400_000;

/** The quarantine of a table, for the poller and for operators, with a bucket of its own. */
export async function openQuarantine(
  aws: TestAws,
  options: TableOptions,
): Promise<Quarantine & QuarantineOperations> {
  const table = new Table(options);
  const bucket = await aws.createClaimCheck('quarantine');
  const items = new QuarantineItems({ table, bucket, retentionMs: DAY_MS });
  const records = new QuarantineRecords(table, async (address) => (await aws.read(address)).text);
  return {
    put: (all) => items.put(all),
    list: () => records.list(),
    loadValue: (subject) => records.loadValue(subject),
    delete: (subjects) => records.delete(subjects),
  };
}
