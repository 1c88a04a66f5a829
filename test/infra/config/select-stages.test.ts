import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../infra/config/config.ts';
import { selectStages } from '../../../infra/config/select-stages.ts';

const STAGES = { dev: { perPage: 1 }, prod: { perPage: 2 } };
const EXIST = 'cdk.json has dev, prod, and docs/config.example.json has example';

describe('the stages that the app makes', () => {
  it('are all unless one is asked for', () => {
    expect(selectStages(STAGES, undefined)).toBe(STAGES);
    expect(selectStages(STAGES, 'prod')).toEqual({ prod: STAGES.prod });
  });

  it('are the committed example, if that is asked for', () => {
    expect(Object.keys(parseConfig(selectStages(STAGES, 'example')))).toEqual(['example']);
    const own = { ...STAGES, example: {} };
    expect(selectStages(own, 'example')).toEqual({ example: {} });
  });

  it.each([
    ['nope', STAGES, `There is no stage "nope": ${EXIST}.`],
    ['', STAGES, `There is no stage "": ${EXIST}.`],
    ['prd', STAGES, `There is no stage "prd": ${EXIST}. Did you mean "prod"?`],
    ['Dev', STAGES, `There is no stage "Dev": ${EXIST}. Did you mean "dev"?`],
    ['exampel', STAGES, `There is no stage "exampel": ${EXIST}. Did you mean "example"?`],
    ['toString', STAGES, `There is no stage "toString": ${EXIST}.`],
    [
      'dev',
      {},
      'There is no stage "dev": cdk.json has none, and docs/config.example.json has example.',
    ],
  ])('are named if the one asked for does not exist: %s', (stage, stages, message) => {
    expect(() => selectStages(stages, stage)).toThrow(message);
  });

  it('are left to the checks of the config if there are none', () => {
    expect(() => parseConfig(selectStages(undefined, 'dev'))).toThrow('notifier is missing');
  });
});
