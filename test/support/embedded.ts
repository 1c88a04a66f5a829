import { onTestFinished } from 'vitest';
import { startEmbeddedServices } from '../../infra/local/embedded/embedded-services.ts';
import type { Clients } from '../../infra/local/stack/clients.ts';
import { makeClients } from '../../infra/local/stack/clients.ts';

/** Clients of embedded services that live as long as the test. */
export async function startClients(): Promise<Clients> {
  const services = await startEmbeddedServices();
  const clients = makeClients(services.endpoints);
  onTestFinished(async () => {
    clients.destroy();
    await services.close();
  });
  return clients;
}
