/** Takes one measurement, of the name and scale that it is given, and prints its figures. */
import { BENCHES } from './benches.ts';
import type { Scale } from './figures.ts';

const [, , name = '', scale] = process.argv;
const measure = await BENCHES[name]?.load();
process.stdout.write(JSON.stringify(await measure?.(scale as Scale)));
