/** Takes one measurement, of the name and scale that it is given, and prints its figures by their keys. */
import type { Scale } from './bench.ts';
import { BENCHES } from './registry.ts';

const [, , name, scale] = process.argv;
const bench = BENCHES.find((bench) => bench.name === name);
if (bench === undefined) throw new TypeError(`there is no benchmark "${name}"`);
process.stdout.write(JSON.stringify(await bench.measure(scale as Scale)));
