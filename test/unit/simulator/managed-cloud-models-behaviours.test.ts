import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { history, postConverse, respondedBy, toolConfig, user, valid } from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const responseFor = (change?: object) => respondedBy(simulator, change);

describe('a scripted behaviour of the managed cloud models', () => {
  it('can be in the last user message', async () => {
    const simulate = { text: 'Tea ready.', finishReason: 'content_filtered' };
    expect(await responseFor(history(user({ text: JSON.stringify({ simulate }) })))).toMatchObject({
      output: { message: { content: [{ text: 'Tea ready.' }] } },
      stopReason: 'content_filtered',
    });
  });

  it('that is malformed is refused when it is in a message', async () => {
    const messages = [user({ text: '{"simulate":{"txt":""}}' })];
    const response = await postConverse(simulator, { messages });
    expect([response.status, response.json()]).toEqual([400, { message: expect.stringContaining("no field 'txt'") }]);
  });

  it('can block the prompt', async () => {
    simulator.script({ blocked: 'guardrail_intervened' });
    expect(await responseFor({ toolConfig })).toMatchObject({
      output: { message: { content: [{ text: expect.stringContaining('guardrail') }] } },
      stopReason: 'guardrail_intervened',
    });
  });

  it('can name the sources of its text', async () => {
    simulator.script({
      text: 'Boil.',
      citations: [{ uri: 'https://tea.example', title: 'Tea', text: 'Boil it.' }],
    });
    expect((await responseFor()).output.message.content).toEqual([
      {
        citationsContent: {
          content: [{ text: 'Boil.' }],
          citations: [
            {
              title: 'Tea',
              source: 'https://tea.example',
              sourceContent: [{ text: 'Boil it.' }],
              location: { web: { url: 'https://tea.example' } },
            },
          ],
        },
      },
    ]);
  });

  it.each<readonly [number, string]>([
    [400, 'ValidationException'],
    [403, 'AccessDeniedException'],
    [404, 'ResourceNotFoundException'],
    [408, 'ModelTimeoutException'],
    [424, 'ModelErrorException'],
    [429, 'ThrottlingException'],
    [500, 'InternalServerException'],
    [503, 'ServiceUnavailableException'],
    [502, 'InternalServerException'],
  ])('of status %i returns %s', async (status, type) => {
    for (const stream of [false, true]) {
      simulator.script({ status });
      const response = await postConverse(simulator, valid, { stream });
      expect([response.status, response.json()]).toEqual([status, { message: expect.any(String) }]);
      expect(response.headers.get('x-amzn-errortype')).toBe(
        `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
      );
    }
  });

  it('can set the type of its error, the text and further members', async () => {
    simulator.script({
      status: 424,
      error: { type: 'ModelErrorException', message: 'broken', originalStatusCode: '500', resourceName: 'x' },
    });
    const response = await postConverse(simulator, valid);
    expect(response.json()).toEqual({ message: 'broken', originalStatusCode: 500, resourceName: 'x' });
    simulator.script({ status: 429, error: { type: 'ModelNotReadyException' } });
    const other = await postConverse(simulator, valid);
    expect(other.json()).toEqual({ message: expect.stringContaining('not ready') });
    expect(other.headers.get('x-amzn-errortype')).toMatch(/^ModelNotReadyException:/);
  });
});
