import type { ChangeEvent } from '../events.ts';
import { readEvent } from './read-event.ts';

/** A message of a queue, as the API of SQS returns it or as Lambda passes it on. */
export interface QueueMessage {
  readonly Body?: string | undefined;
  readonly Attributes?: Grouped | undefined;
  readonly body?: string | undefined;
  readonly attributes?: Grouped | undefined;
}

interface Grouped {
  /** Only of messages of a FIFO queue. */
  readonly MessageGroupId?: string | undefined;
}

/** How the events of messages are handled. */
export interface HandlerOptions<Message extends QueueMessage> {
  /** Reads the text of an event that is too large for the topic, at `s3://<bucket>/<key>`. */
  readonly readTextAt: (dataref: string) => Promise<string>;
  /** May receive an event more than once, and late ones. A rejected event is delivered again. */
  readonly handle: (event: ChangeEvent, message: Message) => Promise<unknown>;
  /** Receives the error of a message, or of `receive` without a message. */
  readonly onError: (error: unknown, message?: Message) => void;
}

/** Options of {@link consume}. */
export interface ConsumerOptions<Message extends QueueMessage> extends HandlerOptions<Message> {
  /** Waits for messages of a queue. With a FIFO queue, request the attribute `MessageGroupId`. */
  readonly receive: () => Promise<readonly Message[]>;
  /** Deletes a handled message from the queue. */
  readonly remove: (message: Message) => Promise<unknown>;
  /** Waits after a failed `receive`: for a second, for instance. */
  readonly pause: () => Promise<unknown>;
  /** Stops the consumer after the message that it is handling: an `AbortSignal`. */
  readonly signal: { readonly aborted: boolean };
}

/**
 * Consumes a queue until it is stopped. A message is removed once its event is handled. If the
 * consumer dies before that, the queue delivers the message again after the visibility timeout.
 */
export async function consume<Message extends QueueMessage>(
  options: ConsumerOptions<Message>,
): Promise<void> {
  const { receive, remove, pause, signal, onError } = options;
  const handleAndRemove = async (event: ChangeEvent, message: Message): Promise<void> => {
    await options.handle(event, message);
    await remove(message);
  };
  while (!signal.aborted) {
    let messages: readonly Message[];
    try {
      messages = await receive();
    } catch (error) {
      // Stopping may abort the call.
      if (signal.aborted as boolean) return;
      onError(error);
      await pause();
      continue;
    }
    await consumeBatch(messages, { ...options, handle: handleAndRemove });
  }
}

/**
 * Handles the events of messages one after the other.
 *
 * @returns the messages to be delivered again: those that failed, later ones of the same FIFO
 *   group, which must not overtake them, and those left when the consumer was stopped.
 */
export async function consumeBatch<Message extends QueueMessage>(
  messages: readonly Message[],
  options: HandlerOptions<Message> & { readonly signal?: { readonly aborted: boolean } },
): Promise<Message[]> {
  const { handle, readTextAt, onError, signal } = options;
  const failed: Message[] = [];
  const failedGroups = new Set<string>();
  for (const message of messages) {
    const group = (message.Attributes ?? message.attributes)?.MessageGroupId;
    if (signal?.aborted === true || (group !== undefined && failedGroups.has(group))) {
      failed.push(message);
      continue;
    }
    try {
      await handle(await readEvent(message.Body ?? message.body ?? '', readTextAt), message);
    } catch (error) {
      onError(error, message);
      failed.push(message);
      if (group !== undefined) failedGroups.add(group);
    }
  }
  return failed;
}
