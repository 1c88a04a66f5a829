import { startProgram } from '../cli/start-program.ts';

// The command line of the package: the commands of operators, without the local stack.
void startProgram();
