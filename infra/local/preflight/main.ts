import { bypassProxyForLoopback } from '../../bypass-proxy.ts';
import { runPreflight } from './run-preflight.ts';

// A reader that has gone, such as head, wants no more.
process.stdout.on('error', () => {
  process.exit(1);
});

bypassProxyForLoopback();
runPreflight(process.argv.slice(2), process, console.log).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 2;
  },
);
