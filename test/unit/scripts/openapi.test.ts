// The OpenAPI document is valid, and describes exactly the requests that the JSON API accepts and the responses that it
// returns, over random values. A failure names its seed (GATEWAY_TEST_SEED).
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { isDownload, methodNamed, methodNames } from '../../../control-plane/api/methods.ts';
import { methodTypes } from '../../../proto/json/contract.ts';
import { decodeJson, JsonRequestError } from '../../../proto/json/decode.ts';
import { toJson } from '../../../proto/json/encode.ts';
import { services } from '../../../proto/load.ts';
import { openapiDocument } from '../../../scripts/openapi/document.ts';
import { Random } from '../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';
import { messageOf, mutated, sampleOf } from './openapi.values.ts';

const document = JSON.parse(JSON.stringify(openapiDocument()));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components: document.components });

function isDescribed({ $ref }: { readonly $ref: string }, value: unknown): boolean {
  const validate = ajv.getSchema(`api${$ref}`);
  if (validate === undefined) throw new Error(`no schema ${$ref}`);
  return validate(value) === true;
}

function isAccepted(type: string, value: unknown): boolean {
  try {
    decodeJson(type, JSON.stringify(value));
    return true;
  } catch (error) {
    if (error instanceof JsonRequestError) return false;
    throw error;
  }
}

const seed = startingSeed();
const operatorMethods = methodNames.filter((name) => methodNamed(name).audience !== 'proxy');
const schemasOf = (method: string) => {
  const { post } = document.paths[`/gateway.v1.${method.replace('.', '/')}`];
  return {
    request: post.requestBody.content['application/json'].schema,
    response: post.responses['200'].content['application/json']?.schema,
  };
};

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has a path for each method for operators, and none for proxies', () => {
    const paths = operatorMethods.map((method) => `/gateway.v1.${method.replace('.', '/')}`);
    expect(Object.keys(document.paths)).toEqual(paths);
  });
});

interface Wire {
  responseSerialize(message: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

const wires: Readonly<Record<string, Readonly<Record<string, Wire>>>> = services;

/** Encodes and decodes the message, so that it is as a gRPC client receives it. */
function received(method: string, message: object): object {
  const [service = '', name = ''] = method.split('.');
  const wire = wires[service]?.[name];
  if (wire === undefined) throw new Error(`no definition of ${method}`);
  return wire.responseDeserialize(wire.responseSerialize(message));
}

describe.each(operatorMethods)('%s', (method) => {
  const { request } = schemasOf(method);
  const { requestType } = methodTypes(method);

  it('accepts every request that its schema describes', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(30); round++) {
      const value = sampleOf(document, request, random);
      expect([seed, value, isAccepted(requestType, value)]).toEqual([seed, value, true]);
    }
  });

  it('accepts a changed request exactly when its schema describes it', () => {
    const random = new Random(seed);
    let refused = 0;
    const rounds = roundsOf(100);
    for (let round = 0; round < rounds; round++) {
      const value = mutated(sampleOf(document, request, random), sampleOf(document, request, random), random);
      const accepted = isAccepted(requestType, value);
      if (!accepted) refused++;
      expect([seed, value, accepted]).toEqual([seed, value, isDescribed(request, value)]);
    }
    expect(refused).toBeGreaterThan(rounds / 5);
  });
});

describe.each(operatorMethods.filter((method) => !isDownload(method)))('%s', (method) => {
  it('returns only responses that its schema describes', () => {
    const { response } = schemasOf(method);
    const { responseType } = methodTypes(method);
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(20); round++) {
      const written = toJson(responseType, received(method, messageOf(responseType, random)));
      const value = JSON.parse(JSON.stringify(written));
      expect([seed, value, isDescribed(response, value)]).toEqual([seed, value, true]);
    }
  });
});
