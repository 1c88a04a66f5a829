import type * as z from 'zod/mini';
import type { stageSchema } from '../config/config.ts';

/** Fields of a stage that say where its stack is. Here the app's own stack decides. */
export type StackField = 'account' | 'region';

// The build replaces the declarations of this file by interfaces with a comment on each field.

/** The config of a notifier, as it would be written for a stage in cdk.json. */
export type NotifierConfig = Omit<z.input<typeof stageSchema>, StackField>;

/** A subscriber of the config. */
export type SubscriberConfig = NonNullable<NotifierConfig['subscribers']>[number];
