// The OpenAPI document of the operators' JSON API: a path for each method, from the contract and from the table of
// methods, which defines who may call each.
import { type AnyMethod, type MethodName, methodNamed, methodNames } from '../../control-plane/api/methods.ts';
import { callCodes, callReasons } from '../../control-plane/rpc/errors.ts';
import manifest from '../../package.json' with { type: 'json' };
import { methodTypes } from '../../proto/json/contract.ts';
import { loadContract } from '../load-contract.ts';
import { type Schema, Schemas } from './schemas.ts';

const about = [
  "The operators' methods of the control plane, as JSON. Each is a POST with a body, `{}` where there is nothing to send.",
  'The schemas of requests say what the reader accepts. A method may accept less of it (lengths, formats, fields that need each other): ' +
    'then the response is 400 `invalid_request` and names each field.',
  'Three rules are not in the schemas. Requests may have the names of the .proto files instead (`page_size` for `pageSize`), one ' +
    'spelling of each field. No object may have a name twice. A body has 1 MiB at most.',
  'Requests have enums by a word (`month`) or by the name in the contract (`BUDGET_PERIOD_MONTH`), and integers of 64 bits as ' +
    'numbers up to 2^53 - 1 or as text. Responses have the name, and text. A field without a value is absent, never null.',
].join('\n\n');

export function openapiDocument(): Schema {
  const schemas = new Schemas(loadContract());
  const operations = methodNames.filter(isForOperators).map((method) => ({ method, ...operation(method, schemas) }));
  const services = [...new Set(operations.map(({ service }) => service))];
  return {
    openapi: '3.1.0',
    info: {
      title: "Model Gateway: operators' JSON API",
      version: manifest.version,
      license: { name: manifest.license, identifier: manifest.license },
      description: about,
    },
    servers: [{ url: 'http://127.0.0.1:8081', description: 'GATEWAY_HTTP_LISTEN of the control plane' }],
    tags: services.map((name) => ({ name, description: schemas.comment(name) })),
    paths: Object.fromEntries(operations.map(({ path, post }) => [path, { post }])),
    components: {
      schemas: Object.fromEntries([...schemas.components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses: { Error: { description: 'The method was refused, or failed', content: json(errorSchema) } },
      securitySchemes: {
        operatorToken: { type: 'http', scheme: 'bearer', description: 'Token of an operator' },
        bootstrapToken: {
          ...{ type: 'http', scheme: 'bearer' },
          description: 'GATEWAY_BOOTSTRAP_TOKEN of the control plane, for its first operator',
        },
      },
    },
  };
}

function isForOperators(method: MethodName): boolean {
  return methodNamed(method).audience !== 'proxy';
}

function operation(method: MethodName, schemas: Schemas) {
  const [service = '', name = ''] = method.split('.');
  const row = methodNamed(method);
  const { requestType, responseType } = methodTypes(method);
  const roles = row.audience === 'operator' ? row.roles.map((role) => role.replaceAll('_', '-')) : [];
  const forWhom = roles.length === 0 ? undefined : `Roles: ${roles.join(', ')}.`;
  const isDownload = row.audience === 'operator' && row.effect === 'download';
  const content = isDownload ? downloaded : json(schemas.reference(responseType, 'returned'));
  const post = {
    operationId: `${service}_${name}`,
    tags: [service],
    description: [schemas.comment(method), forWhom].filter((text) => text !== undefined).join('\n\n') || undefined,
    security: securityOf(row.audience),
    requestBody: { required: true, content: json(schemas.reference(requestType, 'accepted')) },
    responses: {
      200: { description: isDownload ? 'The file, in the format of the request' : 'OK', content },
      default: { $ref: '#/components/responses/Error' },
    },
  };
  return { service, path: `/gateway.v1.${service}/${name}`, post };
}

function securityOf(audience: AnyMethod['audience']): readonly object[] {
  if (audience === 'anyone') return [];
  return [audience === 'operator' ? { operatorToken: [] } : { bootstrapToken: [] }];
}

function json(schema: Schema): Schema {
  return { 'application/json': { schema } };
}

const text = { schema: { type: 'string' } };
/** Content types of a download. */
const downloaded = { 'text/csv': text, 'application/x-ndjson': text };

const violationSchema = {
  type: 'object',
  required: ['field', 'description'],
  properties: {
    field: {
      type: 'string',
      description: "Path in the request, in the contract's names, such as `owner.email`",
    },
    description: { type: 'string', description: 'The mistake, and what is accepted' },
  },
};

const detailSchema = {
  type: 'object',
  required: ['type', 'value', 'debug'],
  properties: {
    type: { const: 'gateway.v1.ErrorDetail' },
    value: { type: 'string', description: 'The detail in the form of gRPC, in base64 without padding' },
    debug: {
      type: 'object',
      required: ['reason', 'violations'],
      properties: {
        reason: {
          type: 'string',
          enum: Object.keys(callReasons),
          description: 'Stable; docs/errors.md has them all',
        },
        violations: { type: 'array', items: violationSchema },
        requestId: { type: 'string', description: "Under which the control plane's log has the call" },
      },
    },
  },
};

/** Errors in the form of the Connect protocol. */
const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'string', enum: Object.values(callCodes).map(({ connect }) => connect) },
    message: { type: 'string' },
    details: { type: 'array', items: detailSchema },
  },
};
