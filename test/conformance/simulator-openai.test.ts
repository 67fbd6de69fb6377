// The vendor's own SDK directly against the simulator: the SDK accepts the simulator's responses, on which the
// gateway's tests rely.
import OpenAI, { NotFoundError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { type ClientOptions, describeChatClient } from './chat-client.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

function clientWith({ apiKey = 'sk-sim-conformance', maxRetries = 0 }: ClientOptions = {}): OpenAI {
  return new OpenAI({ apiKey, baseURL: simulator.baseUrls['gpt-provider'], maxRetries });
}

const model = 'gpt-4o-mini';

describeChatClient('own client', { clientWith, simulator: () => simulator, model });

describe('the SDK’s own client', () => {
  it('lists and retrieves models', async () => {
    const client = clientWith();
    const names = [];
    for await (const one of client.models.list()) names.push(one.id);
    expect(names).toContain(model);
    expect((await client.models.retrieve(model)).id).toBe(model);
    await expect(client.models.retrieve('openai/gpt-4o')).rejects.toBeInstanceOf(NotFoundError);
  });
});
