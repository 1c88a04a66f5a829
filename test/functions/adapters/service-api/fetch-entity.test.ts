import { describe, expect, it } from 'vitest';
import { ProtocolError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { answerWith, serve } from '../../../support/local-server.ts';
import { ENTITY as PROJECT, makeClient } from './service-client.ts';

describe('an entity that is asked for by its id', () => {
  const PATH = '/projects/p/floorplans/f';
  const fetchEntity = async (status: number, body: unknown, headers = {}) => {
    const service = await serve(answerWith(status, body, headers));
    const query = { with_current_sheet: 'true' };
    const answer = await makeClient(service.url, { tries: 1 }).fetchEntity({ path: PATH, query });
    expect(service.received[0]?.url).toBe(`/api/v3${PATH}?with_current_sheet=true`);
    return answer;
  };

  it('is found', async () => {
    expect(await fetchEntity(200, PROJECT)).toEqual({ verdict: 'found', entity: PROJECT });
  });

  it.each([
    [404, 'missing'],
    [403, 'forbidden'],
  ])('is, after a %i, %s', async (status, verdict) => {
    expect(await fetchEntity(status, {})).toEqual({ verdict });
  });

  it.each([
    ['an error status', 500, {}, ServiceError],
    ['a status that is no error of ours', 410, {}, ServiceError],
    ['a body that is no entity', 200, { id: 'f' }, ProtocolError],
  ])('has no verdict after %s', async (_, status, body, error) => {
    await expect(fetchEntity(status, body)).rejects.toThrow(error);
  });
});
