import { onTestFinished } from 'vitest';
import type { Clients } from '../../infra/local/embedded/clients.ts';
import { makeClients } from '../../infra/local/embedded/clients.ts';
import { startEmbeddedServices } from '../../infra/local/embedded/embedded-services.ts';

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
