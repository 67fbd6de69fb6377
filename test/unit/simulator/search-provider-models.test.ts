// The models of the simulated search vendor: the list, its pages, and the description of a model.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listModels as listCatalog } from '../../../proxy/catalog/models.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { findModel } from '../../../simulator/search-provider/models.ts';
import { hello, post } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

describe('models of the search provider', () => {
  const headers = { 'x-goog-api-key': 'AIzaSimTest' };
  interface Page {
    readonly models: readonly { readonly name: string }[];
    readonly nextPageToken?: string;
  }
  const get = async (path: string): Promise<{ status: number; body: Page }> => {
    const response = await fetch(`${simulator.baseUrls['search-provider']}${path}`, { headers });
    return { status: response.status, body: (await response.json()) as Page };
  };

  it('include at least those of the catalog', () => {
    const chat = listCatalog().filter((model) => model.provider === 'search-provider' && model.chat);
    const missing = chat.filter((model) => findModel(model.name, 'v1beta')?.generates !== true);
    expect(missing.map((model) => model.name)).toEqual([]);
  });

  it('are listed in pages', async () => {
    const names: string[] = [];
    let pageToken = '';
    do {
      const { body } = await get(`/v1beta/models?pageSize=7&pageToken=${pageToken}`);
      expect(body.models.length).toBeLessThanOrEqual(7);
      names.push(...body.models.map((one) => one.name));
      pageToken = body.nextPageToken ?? '';
    } while (pageToken !== '');
    const { body: all } = await get('/v1beta/models?pageSize=1000');
    expect(names).toEqual(all.models.map((one) => one.name));
    expect(names).toContain('models/gemini-2.5-flash');
    expect(all).not.toHaveProperty('nextPageToken');
    const { body: exact } = await get(`/v1beta/models?pageSize=${names.length}`);
    expect(exact).toEqual(all);
    expect((await get('/v1beta/models?pageToken=x')).status).toBe(400);
    expect((await get('/v1beta/models?pageSize=-1')).status).toBe(400);
  });

  it('are fewer under v1', async () => {
    const { body } = await get('/v1/models?pageSize=1000');
    const names = body.models.map((one) => one.name);
    expect(names).toContain('models/gemini-3.5-flash');
    expect(names.filter((name) => /latest|preview/.test(name))).toEqual([]);
  });

  it('are described with limits and methods', async () => {
    expect((await get('/v1/models/gemini-3.5-flash')).body).toMatchObject({
      name: 'models/gemini-3.5-flash',
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
      thinking: true,
    });
    expect(await get('/v1/models/gpt-4o')).toMatchObject({
      status: 404,
      body: { error: { status: 'NOT_FOUND' } },
    });
  });

  it('return the service tier of the request in a header', async () => {
    const tier = async (serviceTier?: string) =>
      (await post(simulator, { body: { contents: [hello], ...(serviceTier && { serviceTier }) } })).headers.get(
        'x-gemini-service-tier',
      );
    expect([await tier(), await tier('flex'), await tier('PRIORITY'), await tier('unspecified')]).toEqual([
      'standard',
      'flex',
      'priority',
      'standard',
    ]);
  });
});
