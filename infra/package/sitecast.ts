#!/usr/bin/env node
// The program of the package. It synthesizes nothing: package-parts.ts.
if (typeof Promise.withResolvers !== 'function') {
  process.stderr.write(`Sitecast needs Node.js 22.12; this is ${process.versions.node}.\n`);
  process.exit(1);
}
await import('../cli/main.ts');

export {};
