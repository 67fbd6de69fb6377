// docs/openapi.yaml is valid OpenAPI 3.1, has an operation for each route, and describes the errors that each client
// format writes. The tests of clients compare every request with it (test/support/described-requests.ts).
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../../proxy/client-formats.ts';
import { type ErrorCode, errorTable } from '../../../proxy/errors.ts';
import { routeRows } from '../../../proxy/http/routes.ts';
import { documented, formatNames, proxyDocument } from '../../../scripts/openapi/proxy-document.ts';
import { formatSchemas } from '../../../scripts/openapi/proxy-formats.ts';
import { differenceOf, proxyApi } from '../../support/described-requests.ts';

const document = JSON.parse(JSON.stringify(proxyDocument()));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components: document.components });

function isValid(schema: string, value: unknown): boolean {
  const validate = ajv.getSchema(`api#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`no schema ${schema}`);
  return validate(value) === true;
}

describe('the OpenAPI document of the proxy', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('is the committed file', () => {
    expect(proxyApi).toEqual(document);
  });

  it('has one operation for each route, under a name of its own', () => {
    const operations = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => [method, path, operationId]),
    );
    expect(operations.map(([method, path]) => `${method} ${path}`)).toEqual(
      routeRows.map(({ method, path }) => `${method.toLowerCase()} ${documented(path)}`),
    );
    expect(new Set(operations.map(([, , id]) => id)).size).toBe(routeRows.length);
  });

  it('has the schemas to which it refers', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g);
    for (const [, kind = '', name = ''] of references) expect(document.components[kind], name).toHaveProperty([name]);
  });

  it.each(formatNames)('describes the errors of %s', (name) => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      const { status, message } = errorTable[code];
      const error = { status, message, code, param: undefined, requestId: 'r' };
      expect(isValid(`${name}.error`, JSON.parse(JSON.stringify(clientFormats[name].writeError(error))))).toBe(true);
    }
    expect(isValid(`${name}.error`, { nothing: 'of an envelope' })).toBe(false);
  });

  it.each(formatNames)('describes the count and the list of models of %s', (name) => {
    const { translation, models } = clientFormats[name];
    const { count, list } = formatSchemas[name];
    if (translation && count) expect(isValid(`${name}.count`, translation.writeCount(3))).toBe(true);
    if (list) expect(isValid(`${name}.list`, models.list([], new URLSearchParams()))).toBe(true);
  });
});

describe('what compares responses with the document', () => {
  it.each([
    ['GET', '/v1/nowhere', 200, undefined, 'no such path'],
    ['PUT', '/v1/messages', 200, undefined, 'no such method'],
    ['POST', '/v1/messages', 302, undefined, 'no such status'],
    ['POST', '/v1/messages', 400, 'budget_exceeded', 'no such code'],
    ['GET', '/v1/models', 402, 'budget_exceeded', 'no such status'],
    ['POST', '/v1/messages', 405, 'method_not_allowed', 'has the method'],
  ])('finds the difference of %s %s %i %s', (...[method, target, status, code, what]) => {
    expect(differenceOf({ method, target, status, code, source: 'gateway' })).toContain(what);
  });

  it.each([
    ['POST', '/v1/messages?beta=true', 200, undefined],
    ['POST', '/v1beta/models/a/b%3A1:streamGenerateContent?alt=sse', 200, undefined],
    ['POST', '/v1/messages', 402, 'budget_exceeded'],
    ['GET', '/v1/messages', 405, 'method_not_allowed'],
    ['GET', '/nowhere', 404, 'route_not_found'],
  ])('finds none for %s %s %i %s', (method, target, status, code) => {
    const source = code === undefined ? undefined : 'gateway';
    expect(differenceOf({ method, target, status, code, source })).toBeUndefined();
  });
});
