import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { accounts } from '../../../simulator/managed-cloud-models/accounts.ts';
import { models } from '../../../simulator/managed-cloud-models/models.ts';
import { expectAcceptance, postConverse, refusalOf, valid } from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, keys: ['listed-key'] });
});
afterAll(() => simulator.close());

const unknownModel = {
  status: 400,
  type: 'ValidationException',
  message: 'The provided model identifier is invalid.',
};
const unsupportedModel = {
  status: 400,
  type: 'ValidationException',
  message: expect.stringContaining("This action doesn't support the model that you provided."),
};
const notFound = {
  status: 404,
  type: 'ResourceNotFoundException',
  message: 'Could not resolve the foundation model from the provided model identifier.',
};
const arn = (resource: string, account = '111122223333') => `arn:aws:bedrock:us-east-1:${account}:${resource}`;

describe('model ids of the managed cloud models', () => {
  it.each<readonly [string, string, object]>([
    ['an unknown one', 'anthropic.claude-nonsense-v1:0', unknownModel],
    ['a name of another vendor', 'gpt-4o', unknownModel],
    ['an unknown prefix', 'mars.anthropic.claude-sonnet-4-6', unknownModel],
    ['a prefix that the model does not have', 'eu.meta.llama3-3-70b-instruct-v1:0', unknownModel],
    ['a profile of a model without', 'us.amazon.titan-text-express-v1', unknownModel],
    ['an encoding inside the encoding', 'anthropic.claude-3-haiku-20240307-v1%3A0', unknownModel],
    ['an embedding model', 'amazon.titan-embed-text-v2:0', unsupportedModel],
    ['an imported model', arn('imported-model/abcdefghijkl'), unsupportedModel],
    ['an unknown application profile', arn('application-inference-profile/nobody000000'), notFound],
    ['an unknown prompt', arn('prompt/ABCDEFGHIJ:1'), notFound],
    ['a profile without an account', arn('inference-profile/us.anthropic.claude-sonnet-4-6', ''), unknownModel],
    [
      'a retired model',
      'anthropic.claude-v2:1',
      {
        status: 404,
        type: 'ResourceNotFoundException',
        message: expect.stringContaining('reached the end of its life'),
      },
    ],
    [
      'a model that is not on demand',
      'anthropic.claude-sonnet-4-6',
      {
        status: 400,
        type: 'ValidationException',
        message:
          'Invocation of model ID anthropic.claude-sonnet-4-6 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
      },
    ],
    [
      'its ARN',
      arn('foundation-model/anthropic.claude-sonnet-4-6', ''),
      { status: 400, type: 'ValidationException', message: expect.stringContaining('on-demand throughput') },
    ],
  ])('refuse %s', async (_name, model, refusal) => {
    expect(await refusalOf(simulator, {}, { model })).toEqual(refusal);
  });

  it.each([
    'anthropic.claude-3-5-sonnet-20240620-v1:0',
    'global.anthropic.claude-sonnet-4-6',
    'us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'us.deepseek.r1-v1:0',
    arn('foundation-model/amazon.nova-pro-v1:0', ''),
    arn('inference-profile/eu.amazon.nova-pro-v1:0'),
    arn('application-inference-profile/simclaude45s'),
    arn('provisioned-model/simnovapro00'),
    'arn:aws-us-gov:bedrock:us-gov-west-1:111122223333:inference-profile/us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ])('accept %s', async (model) => {
    await expectAcceptance(simulator, ['', {}, model]);
  });

  it('accept a colon that is not encoded', async () => {
    const url = `${simulator.baseUrls['managed-cloud-models']}/model/amazon.nova-pro-v1:0/converse`;
    const headers = { authorization: 'Bearer sk-sim-test', 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(valid) });
    expect(response.status).toBe(200);
  });

  it('accept every model of the table under its one valid id', async () => {
    for (const { name, onDemand, profiles } of models.values()) {
      await expectAcceptance(simulator, ['', {}, onDemand ? name : `${profiles[0]}.${name}`]);
    }
  });
});

describe('requests to the managed cloud models', () => {
  const base = () => simulator.baseUrls['managed-cloud-models'];
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = {
      authorization: 'Bearer sk-sim-test',
      'content-type': 'application/json',
      ...(init.headers as object),
    };
    const response = await fetch(base() + path, {
      method: 'POST',
      body: JSON.stringify(valid),
      ...init,
      headers,
    });
    return {
      status: response.status,
      type: response.headers.get('x-amzn-errortype')?.split(':')[0],
      body: await response.json(),
    };
  };
  const converse = '/model/amazon.nova-pro-v1%3A0/converse';

  it.each([
    ['another operation', '/model/amazon.nova-pro-v1%3A0/async-invoke', {}],
    ['a model id of two segments', '/model/a/b/converse', {}],
    ['no model', '/model//converse', {}],
    ['another method', converse, { method: 'PUT' }],
  ])('with %s are unknown', async (_name, path, init) => {
    expect(await send(path, init)).toMatchObject({ status: 404, type: 'UnknownOperationException' });
  });

  it('with another content type are refused', async () => {
    expect(await send(converse, { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
      type: 'UnsupportedMediaTypeException',
    });
  });

  it.each([
    ['{', 'The request body is not valid JSON'],
    ['', 'The request body is not valid JSON'],
    ['[]', 'Start of structure or map expected'],
    ['"x"', 'Start of structure or map expected'],
    ['null', 'Start of structure or map expected'],
  ])('with the body %j cannot be parsed', async (body, Message) => {
    expect(await send(converse, { body })).toEqual({
      status: 400,
      type: 'SerializationException',
      body: { Message },
    });
  });

  it('with a wrongly encoded model id are refused', async () => {
    expect(await send('/model/%zz/converse')).toEqual({
      status: 400,
      type: 'ValidationException',
      body: { message: 'The provided model identifier is invalid.' },
    });
  });

  it('without credentials are refused before all other checks', async () => {
    const response = await fetch(base() + converse, { method: 'POST', body: '{' });
    expect([response.status, await response.json()]).toEqual([403, { message: 'Missing Authentication Token' }]);
    expect(response.headers.get('x-amzn-errortype')).toBe(
      'MissingAuthenticationToken:http://internal.amazon.com/coral/com.amazon.bedrock/',
    );
  });

  it('with an unknown API key are denied with a capital Message', async () => {
    const response = await postConverse(simulator, valid, { headers: { authorization: 'Bearer ABSKother' } });
    expect([response.status, response.json()]).toEqual([
      403,
      { Message: 'Authentication failed: Please make sure your API Key is valid.' },
    ]);
    const listed = await postConverse(simulator, valid, { headers: { authorization: 'Bearer listed-key' } });
    expect(listed.status).toBe(200);
  });

  it('have a request id, also when refused', async () => {
    const responses = [await postConverse(simulator, valid), await postConverse(simulator, '{')];
    const ids = responses.map(({ headers }) => headers.get('x-amzn-requestid'));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('show no credential in an echo', async () => {
    simulator.script({ echo: true });
    const response = await postConverse(simulator, valid, {
      headers: { 'x-amz-security-token': accounts.temporary.sessionToken },
    });
    expect(response.bytes.toString()).not.toContain(accounts.temporary.sessionToken);
    expect(response.bytes.toString()).not.toContain('sk-sim-test');
  });
});
