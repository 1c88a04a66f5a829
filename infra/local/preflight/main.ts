import { runPreflight } from './run-preflight.ts';

runPreflight(process.argv.slice(2), process, console.log).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 2;
  },
);
