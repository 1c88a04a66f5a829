#!/usr/bin/env node
import { devCommand } from '../cli/dev/dev.ts';
import { serviceCommand } from '../cli/dev/service.ts';
import { startProgram } from '../cli/start-program.ts';

// The program of the package: without `check`, which synthesizes a stage of cdk.json.
if (typeof Promise.withResolvers !== 'function') {
  process.stderr.write(`Sitecast needs Node.js 22.12; this is ${process.versions.node}.\n`);
  process.exit(1);
}
await startProgram({ dev: devCommand, service: serviceCommand });
