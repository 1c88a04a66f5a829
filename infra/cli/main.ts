import { checkCommand } from './check/check.ts';
import { devCommand } from './dev/dev.ts';
import { serviceCommand } from './dev/service.ts';
import { startProgram } from './start-program.ts';

// The program in a clone. The package's has the commands of operators: infra/package/sitecast.ts.
await startProgram({ dev: devCommand, service: serviceCommand, check: checkCommand });
