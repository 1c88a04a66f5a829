import type { Clients } from '../clients.ts';
import type { StandIn } from '../create-resource.ts';
import { drainQueue, type Delivery } from '../subscriber.ts';

/** A subscriber that the config declares. A local queue receives what it would receive. */
export interface DeclaredSubscriber {
  /** Its name in the config. */
  readonly name: string;
  /** `sqs`, `lambda`, `https`, `firehose`, `webhook` or `eventBridge`. */
  readonly protocol: string;
  /** Receives and deletes all messages in its queue. */
  drain(): Promise<Delivery[]>;
}

/**
 * Names a stand-in after its subscriber.
 *
 * @param subscribers those of the config, which synthesis has checked.
 */
export function declareSubscriber(
  standIn: StandIn,
  clients: Clients,
  subscribers: unknown,
): DeclaredSubscriber {
  const { protocol, endpoint, queueUrl, isRaw } = standIn;
  const declared = (subscribers ?? []) as readonly Record<
    'name' | 'protocol' | 'endpoint',
    string
  >[];
  const { name = endpoint } =
    declared.find((each) => each.protocol === protocol && each.endpoint === endpoint) ?? {};
  return { name, protocol, drain: () => drainQueue(clients, queueUrl, isRaw) };
}
