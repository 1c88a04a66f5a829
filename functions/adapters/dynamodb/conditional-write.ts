import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';

/** Waits for a conditional write. Other errors than the failed condition pass through. */
export async function conditionHolds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
