#!/usr/bin/env node
import { devCommand } from '../cli/dev/dev.ts';
import { serviceCommand } from '../cli/dev/service.ts';
import { startProgram } from '../cli/start-program.ts';

// The program of the package: without `check`, which synthesizes a stage of cdk.json.
await startProgram({ dev: devCommand, service: serviceCommand });
