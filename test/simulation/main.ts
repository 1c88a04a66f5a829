import { runSimulate } from './run-simulate.ts';

runSimulate(process.argv.slice(2), console).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  },
);
