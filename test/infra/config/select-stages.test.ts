import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../infra/config/config.ts';
import { selectStages } from '../../../infra/config/select-stages.ts';

const STAGES = { dev: { perPage: 1 }, prod: { perPage: 2 } };

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

  it.each(['nope', '', 'toString'])('are named if the one asked for does not exist: %s', (name) => {
    const message = `There is no stage "${name}"; allowed: example, dev, prod`;
    expect(() => selectStages(STAGES, name)).toThrow(message);
  });

  it('are left to the checks of the config if there are none', () => {
    expect(() => parseConfig(selectStages(undefined, 'dev'))).toThrow('notifier is missing');
  });
});
