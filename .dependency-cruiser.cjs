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
      name: 'core-is-pure',
      comment:
        'The core knows no AWS, network, environment, clock or chance: core, zod and hashing only.',
      severity: 'error',
      from: { path: '^functions/core/' },
      to: { pathNot: ['^functions/core/', '(^|/)node_modules/zod/', '^(node:)?crypto$'] },
    },
    {
      name: 'model-imports-model',
      comment: 'core/model holds the nouns. They depend on nothing but each other.',
      severity: 'error',
      from: { path: '^functions/core/model/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/core/model/' },
    },
    {
      name: 'contract-imports-model',
      comment: 'core/contract is the published package: what subscribers are promised.',
      severity: 'error',
      from: { path: '^functions/core/contract/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/core/(contract|model)/' },
    },
    {
      name: 'events-import-contract-and-model',
      comment: 'core/events turns a change into the event that the contract describes.',
      severity: 'error',
      from: { path: '^functions/core/events/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/core/(events|contract|model)/' },
    },
    {
      name: 'ports-import-events-and-model',
      comment: 'core/ports names what the core asks of the outside.',
      severity: 'error',
      from: { path: '^functions/core/ports/' },
      to: {
        path: '^(functions|infra)/',
        pathNot: '^functions/core/(ports|events|contract|model)/',
      },
    },
    {
      name: 'stages-are-siblings',
      comment:
        'feeds, schedule, lease, paging and changes never import each other; run joins them.',
      severity: 'error',
      from: { path: '^functions/core/(feeds|schedule|lease|paging|changes)/' },
      to: {
        path: '^(functions|infra)/',
        pathNot: ['^functions/core/(ports|events|contract|model)/', '^functions/core/$1/'],
      },
    },
    {
      name: 'adapters-are-siblings',
      comment:
        'One folder per outside thing. An adapter imports what the core offers outwards, adapters/shared and itself.',
      severity: 'error',
      from: { path: '^functions/adapters/([^/]+)/' },
      to: {
        path: '^(functions|infra|test)/',
        pathNot: [
          '^functions/core/(ports|events|contract|model)/',
          '^functions/adapters/shared/',
          '^functions/adapters/$1/',
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
      name: 'settings-import-model',
      comment: 'functions/settings reads config and environment; it wires nothing.',
      severity: 'error',
      from: { path: '^functions/settings/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/(settings|core/model)/' },
    },
    {
      name: 'infra-imports-only-settings',
      comment: 'What deploys names functions by path. Of their code it imports the settings alone.',
      severity: 'error',
      from: { path: '^infra/', pathNot: '^infra/local/' },
      to: { path: '^functions/', pathNot: '^functions/settings/' },
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
