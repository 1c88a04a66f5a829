import type { CostLine } from './cost.ts';
import type { PeerResult } from './peer.ts';
import type { Result } from './registry.ts';
import { markdown } from './report-table.ts';

/** A figure with three digits that count. */
function shown(figure: number): string {
  return figure >= 100 ? String(Math.round(figure)) : figure.toPrecision(3);
}

/** The lines of a table, columns aligned. The last column is not filled up. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Text in lines of at most so many characters, each indented. */
function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => `    ${line}`).join('\n');
}

/** Row, figure, goal, whether it is met; under each its definition. */
export function resultLines({ row, figure, isMet }: Result): string {
  const unit = row.unit === undefined ? '' : ` ${row.unit}`;
  const goal = `goal <= ${row.goal}${unit}`;
  const head = [
    row.key.padEnd(24),
    `${shown(figure)}${unit}`.padEnd(14),
    goal.padEnd(18),
    isMet ? 'met' : 'NOT MET',
  ];
  return `${head.join('')}\n${wrapped(row.definition, 96)}\n`;
}

/** What a month costs, by the number of projects: a table in Markdown. */
export function costLines(lines: readonly CostLine[]): string {
  const head = ['Projects', 'Month', 'Run', 'Requests', 'Events', 'Lambda', 'Table', 'Topic'];
  const sums = ['Traffic', 'Other', 'USD: `off`', '`basic`', '`full`'];
  const rows = lines.map(({ projects, day, usage, runSeconds, bill, totals }) => [
    projects.toLocaleString('en'),
    day,
    `${runSeconds.toFixed(1)} s`,
    String(Math.round(usage.serviceRequests)),
    shown(usage.events),
    ...[
      ...[bill.lambda, bill.table, bill.topic, bill.traffic],
      bill.schedule + bill.secret + bill.keys + bill.logs,
      ...[totals.off, totals.basic, totals.full],
    ].map((usd) => usd.toFixed(2)),
  ]);
  return markdown([...head, ...sums], rows);
}

/** Ours and the plain Lambda, side by side. */
export function peerLines({ ours, plain }: Readonly<Record<'ours' | 'plain', PeerResult>>): string {
  const line = (name: string, of: (result: PeerResult) => number): string[] => [
    name,
    shown(of(ours)),
    shown(of(plain)),
    shown(of(ours) / of(plain)),
  ];
  return aligned([
    ['', 'Sitecast', 'plain Lambda', 'ratio'],
    line('entities a second', (result) => result.entitiesPerSecond),
    line('service requests / 1,000', (r) => (r.serviceRequests / r.entities) * 1000),
    line('AWS calls / 1,000', (result) => (result.awsCalls / result.entities) * 1000),
    line('USD / 1,000,000', (result) => result.usdPerMillion),
  ]);
}
