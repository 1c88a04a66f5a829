/** Notes each port of the program that loads it in the file `ports` of its temporary folder. */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const { port } = (message as { readonly server: Server }).server.address() as AddressInfo;
  appendFileSync(join(tmpdir(), 'ports'), `${port}\n`);
});
