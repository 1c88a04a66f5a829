/**
 * The import rules of the house: the data's way is one street, and so are the imports.
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'A circle means two files that are really one, or a thing in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-imports-only-core',
      comment:
        'The core knows no AWS, no network, no environment: core, a schema library and hashing.',
      severity: 'error',
      from: { path: '^functions/core/' },
      to: { pathNot: ['^functions/core/', '(^|/)node_modules/zod/', '^(node:)?crypto$'] },
    },
    {
      name: 'adapters-import-core-and-clients',
      comment: 'One file per outside thing: adapters never import each other, except the settings.',
      severity: 'error',
      from: { path: '^functions/adapters/([^/.]+)' },
      to: {
        path: '^(functions|infra|test)/',
        // An adapter that is larger than one file has a folder of its own name beside it.
        pathNot: [
          '^functions/core/',
          '^functions/adapters/settings\\.ts$',
          '^functions/adapters/$1(/|\\.ts$)',
        ],
      },
    },
    {
      name: 'only-handlers-wire-adapters',
      comment: 'Only a handler.ts joins adapters to the core.',
      severity: 'error',
      from: {
        path: '^(functions|infra)/',
        pathNot: ['/handler\\.ts$', '^functions/adapters/', '^infra/local/'],
      },
      to: { path: '^functions/adapters/' },
    },
    {
      name: 'infra-names-handlers-by-path',
      comment: 'What deploys does not import what runs; only the local stack may.',
      severity: 'error',
      from: { path: '^infra/', pathNot: '^infra/local/' },
      to: { path: '^functions/' },
    },
    {
      name: 'functions-do-not-import-infra',
      comment: 'What runs knows nothing of what deploys it; its environment tells it all.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^infra/' },
    },
    {
      name: 'nothing-imports-local-or-test',
      comment: 'The local stack and the tests are ends of the street.',
      severity: 'error',
      from: { pathNot: ['^infra/local/', '^test/'] },
      to: { path: '^(infra/local|test)/' },
    },
    {
      name: 'local-does-not-import-test',
      comment: 'Nothing but tests imports tests.',
      severity: 'error',
      from: { path: '^infra/local/' },
      to: { path: '^test/' },
    },
    {
      name: 'examples-use-what-the-package-exports',
      comment:
        'A reader copies them: nothing of this repository but the contract, by its public name.',
      severity: 'error',
      from: { path: '^docs/' },
      to: {
        path: '^(functions|infra|test)/',
        pathNot: '^functions/core/contract/index\\.ts$',
      },
    },
    {
      name: 'bundled-code-uses-runtime-dependencies',
      comment: 'What runs in Lambda is made of dependencies, not of development tools.',
      severity: 'error',
      from: { path: '^functions/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@sitecast/source', 'import', 'node', 'types', 'default'],
    },
  },
};
