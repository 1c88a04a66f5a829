/** The required fields of the poller's config. */
export const ADDRESSES = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
};

const path = '/projects/{project_id}/checklists';

/** A config of the poller in which every field differs from its default. */
export const POLLER_FIELDS = {
  everyMinutes: 5,
  serviceVersion: '2021-03-29',
  withCurrentSheet: true,
  shards: 4,
  perPage: 100,
  requestsPerMinute: 60,
  maxWaitSeconds: 600,
  pollEverySeconds: 5,
  lookbackSeconds: 30,
  baseline: 'emit',
  concurrency: 4,
  monitoring: 'full',
  headers: {
    version: 'Brand-Version',
    perPage: 'Brand-Per-Page',
    extra: { 'Brand-Filter': 'all' },
  },
  query: { checklists: { view: 'full' } },
  additionalResources: [{ name: 'checklists', entity: 'checklist', path }],
  omit: { checklists: ['phone_number'], projects: ['access_token'] },
  resources: ['floorplans'],
  projects: ['876c7fcc-4f08-4090-945e-d20f16c243ec'],
  retentionDays: 90,
  reconcile: { maxMissingShare: 0.2, schedule: 'rate(30 days)' },
};

/** A config in which every field of the default stack differs. */
export const EVERYTHING = {
  ...POLLER_FIELDS,
  memoryMb: 10_240,
  timeoutSeconds: 50,
  logRetentionDays: 7,
  logLevel: 'WARN',
  alarmEmail: 'operator@builder.eu',
  organisationId: 'o-a1b2c3d4e5',
  subscriberAccountIds: ['210987654321'],
  removalPolicy: 'destroy',
  deletionProtection: true,
};

/** The fields of a stage in an account with rules of its own. */
export const SURROUNDINGS = {
  vpc: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
  environment: { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://proxy.example.com:3128' },
  caBundle: 'docs/examples/ca-bundle.pem',
  kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/876c7fcc-4f08-4090-945e-d20f16c243ec',
};

/** A table and a secret of a former stack. */
export const FORMER = {
  existingTableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/old-table',
  existingSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:token-AbCdEf',
};
