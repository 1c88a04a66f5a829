/**
 * The import rules: imports follow the data in one direction.
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      comment:
        'A circle means two files that belong together, or a declaration in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      comment:
        'The core has no AWS, network, environment, clock or randomness: core, zod and hashing only.',
      severity: 'error',
      from: { path: '^functions/core/' },
      to: { pathNot: ['^functions/core/', '(^|/)node_modules/zod/', '^(node:)?crypto$'] },
    },
    {
      name: 'model-imports-model',
      comment: 'core/model holds the nouns. They depend only on each other.',
      severity: 'error',
      from: { path: '^functions/core/model/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/core/model/' },
    },
    {
      name: 'contract-imports-model',
      comment:
        'core/contract is the published package: the promises to subscribers. Its reading of lists is that of the core.',
      severity: 'error',
      from: { path: '^functions/core/contract/' },
      to: {
        path: '^(functions|infra)/',
        pathNot: [
          '^functions/core/(contract|model)/',
          '^functions/core/lists/(read-list|page-size)\\.ts$',
        ],
      },
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
      comment: 'core/ports declares the interfaces that adapters implement.',
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
        'feeds, schedule, lists and changes never import each other; commit and run join them.',
      severity: 'error',
      from: { path: '^functions/core/(feeds|schedule|lists|changes)/' },
      to: {
        path: '^(functions|infra)/',
        pathNot: ['^functions/core/(ports|events|contract|model)/', '^functions/core/$1/'],
      },
    },
    {
      name: 'commit-is-below-run',
      comment:
        'core/commit joins changes, events and feeds for one page; run and its jobs call it.',
      severity: 'error',
      from: { path: '^functions/core/commit/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/core/(?!run/)' },
    },
    {
      name: 'adapters-are-siblings',
      comment:
        'One folder per external system. An adapter imports ports, metrics, events, contract, model, adapters/shared and itself.',
      severity: 'error',
      from: { path: '^functions/adapters/([^/]+)/' },
      to: {
        path: '^(functions|infra|test)/',
        pathNot: [
          '^functions/core/(ports|events|contract|model)/',
          '^functions/(control|deliver)/(ports|metrics)\\.ts$',
          '^functions/adapters/shared/',
          '^functions/adapters/$1/',
        ],
      },
    },
    {
      name: 'only-handlers-wire-adapters',
      comment:
        'Only a handler.ts connects adapters with the core. Kinds of addresses and the time-outs of clients are no adapters.',
      severity: 'error',
      from: {
        path: '^(functions|infra)/',
        pathNot: ['/handler\\.ts$', '^functions/adapters/', '^infra/(local|cli/check)/'],
      },
      to: {
        path: '^functions/adapters/',
        pathNot: [
          '^functions/adapters/webhook/address-kind\\.ts$',
          '^functions/adapters/shared/request-handler\\.ts$',
        ],
      },
    },
    {
      name: 'settings-import-model',
      comment: 'functions/settings defines the config and reads the environment.',
      severity: 'error',
      from: { path: '^functions/settings/' },
      to: { path: '^(functions|infra)/', pathNot: '^functions/(settings|core/model)/' },
    },
    {
      name: 'infra-imports-only-settings',
      comment:
        'Deployment code names functions by path and imports only their settings, the model, names of metrics and kinds of addresses.',
      severity: 'error',
      from: { path: '^infra/', pathNot: '^infra/(local|cli)/' },
      to: {
        path: '^functions/',
        pathNot: [
          '^functions/settings/',
          '^functions/core/model/',
          '^functions/core/ports/metrics\\.ts$',
          '^functions/deliver/metrics\\.ts$',
          '^functions/adapters/webhook/address-kind\\.ts$',
        ],
      },
    },
    {
      name: 'local-is-a-client',
      comment:
        'The local stack, and the commands that run and check one, are clients: they speak the client of the service and the protocol of the control function, and read events, run summaries, settings and names of metrics.',
      severity: 'error',
      from: { path: '^infra/(local|cli/(dev|check))/' },
      to: {
        path: '^functions/',
        pathNot: [
          '^functions/core/(model|events|contract)/',
          '^functions/core/run/run-summary\\.ts$',
          '^functions/core/ports/metrics\\.ts$',
          '^functions/control/protocol\\.ts$',
          '^functions/settings/',
          '^functions/adapters/(service-api|auth|clock)/',
        ],
      },
    },
    {
      name: 'console-page-knows-its-protocol',
      comment:
        "The console's page runs in a browser: it imports its protocol, the types of events and of the control function, formats, and its view libraries.",
      severity: 'error',
      from: { path: '^infra/local/console/page/' },
      to: {
        pathNot: [
          '^infra/local/console/(page/|protocol\\.ts$)',
          '^functions/core/contract/',
          '^functions/control/protocol\\.ts$',
          '^infra/cli/format\\.ts$',
          '(^|/)node_modules/(preact|@preact/signals)/',
        ],
      },
    },
    {
      name: 'console-follows-the-session',
      comment: 'The console follows a session by its hooks. Only the session knows of the console.',
      severity: 'error',
      from: { path: '^infra/local/', pathNot: '^infra/local/console/' },
      to: { path: '^infra/local/console/' },
    },
    {
      name: 'cli-asks-the-control-function',
      comment:
        'The command line knows the protocol of the control function, its order of lists, its exact numbers, and how a stack is found, nothing of its inside.',
      severity: 'error',
      from: { path: '^infra/cli/', pathNot: '^infra/cli/(dev|check)/' },
      to: {
        path: '^(functions|infra)/',
        pathNot: [
          '^infra/(cli|config)/',
          '^infra/local/stack/local-stack-file\\.ts$',
          '^functions/core/(contract|model)/',
          '^functions/control/(protocol|select-lists)\\.ts$',
        ],
      },
    },
    {
      name: 'nothing-imports-cli',
      comment:
        'Only tests, the package and the scripts of package.json use the command line. It writes counts and reads queues as the local stack does.',
      severity: 'error',
      from: { pathNot: ['^infra/(cli|package)/', '^test/'] },
      to: { path: '^infra/cli/', pathNot: '^infra/cli/(format|commands/subscribed-queue)\\.ts$' },
    },
    {
      name: 'functions-do-not-import-infra',
      comment: 'A function depends on its environment, never on the code that deploys it.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^infra/' },
    },
    {
      name: 'nothing-imports-local-or-test',
      comment:
        'Only the commands that run or check a stack, the package and tests use the local stack.',
      severity: 'error',
      from: { pathNot: ['^infra/(local|package)/', '^infra/cli/(dev|check)/', '^test/'] },
      to: {
        path: '^(infra/local|test)/',
        pathNot: '^infra/local/stack/local-stack-file\\.ts$',
      },
    },
    {
      name: 'local-does-not-import-test',
      comment: 'Only tests import tests.',
      severity: 'error',
      from: { path: '^infra/local/' },
      to: { path: '^test/' },
    },
    {
      name: 'examples-use-what-the-package-exports',
      comment: 'Readers copy the examples: they import only what the package exports, by its name.',
      severity: 'error',
      from: { path: '^docs/' },
      to: {
        path: '^(functions|infra|test)/',
        pathNot: ['^functions/core/contract/index\\.ts$', '^infra/package/index\\.ts$'],
      },
    },
    {
      name: 'bundled-code-uses-runtime-dependencies',
      comment: 'Code that runs in Lambda uses dependencies, not development tools.',
      severity: 'error',
      from: { path: '^functions/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'resolvable',
      comment: 'Every import can be resolved.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    // A file of the workspace has the dependencies of the root.
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
