import { measureScale } from './scale.ts';

/** Prints the table of `docs/scaling.md`: `npx node --expose-gc test/bench/scale-table.ts`. */
process.stdout.write(
  '| projects | lists | load ms | decode ms | rank ms | encode ms | heap MB | bytes a list | read units | write units |\n',
);
for (const projects of [1000, 10_000, 100_000]) {
  measureScale(projects);
  const f = measureScale(projects);
  const cells = [
    ...[f.projects, f.feeds, f.loadMs, f.decodeMs, f.rankMs, f.encodeMs, f.heapMb],
    ...[f.bytesPerFeed, f.readUnits, f.writeUnits],
  ];
  process.stdout.write(`| ${cells.map((cell) => Math.round(cell)).join(' | ')} |\n`);
}
