// The OpenAPI document of the proxy: an operation for each row of its table of routes. Bodies are the vendors' own, so
// schemas require what the gateway requires, and link to the vendor's page for the rest.
import { vendorNames, vendors } from '../../common/vendors.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import { namesIn } from '../../proxy/http/path-table.ts';
import { isChat, isStored, type RouteRow, routeRows, type StoredRow } from '../../proxy/http/routes.ts';
import { codesOf, envelopes, errorResponses, responseNames, statusesOf } from './proxy-errors.ts';
import { type FormatSchemas, formatSchemas } from './proxy-formats.ts';
import { errorHeaders, responseHeaders } from './proxy-headers.ts';
import type { Schema } from './schemas.ts';

const about = [
  'What clients of the gateway call. Bodies are those of the vendors: their pages, linked at each schema, say what fields there are; ' +
    'docs/clients.md says what becomes of each field at a model of another vendor.',
  'A virtual key goes where the SDK sends its own key. If several headers have one, the first of `x-svc-vk`, `authorization`, ' +
    '`x-api-key`, `x-goog-api-key`, `api-key` counts.',
  'The status of an error has the codes that its response names; `x-svc-error-code` repeats the code. A provider’s own refusal ' +
    '(`x-svc-error-source: provider`) may have any status and code of 400 and above.',
  'Formats that `GATEWAY_CLIENT_FORMATS` leaves out are 404 `route_not_found`. A name of a model in a path may contain slashes, encoded or bare.',
].join('\n\n');

export const formatNames = Object.keys(formatSchemas) as readonly ClientFormatName[];

export function proxyDocument(): Schema {
  const paths = Map.groupBy(routeRows, ({ path }) => documented(path));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Model Gateway: API of the proxy',
      version: manifest.version,
      license: { name: manifest.license, identifier: manifest.license },
      description: about,
    },
    servers: [{ url: 'http://127.0.0.1:8080', description: 'GATEWAY_LISTEN of the proxy' }],
    tags: [
      ...formatNames.map((name) => ({ name, description: `Clients of ${formatSchemas[name].title}` })),
      { name: 'models', description: 'Clients of several formats' },
    ],
    paths: Object.fromEntries(
      [...paths].map(([path, rows]) => [
        path,
        Object.fromEntries(rows.map((row) => [row.method.toLowerCase(), operation(row)])),
      ]),
    ),
    components: {
      schemas: Object.fromEntries(formatNames.flatMap((name) => namedSchemas(name, formatSchemas[name]))),
      responses: errorResponses,
      headers: { ...responseHeaders, ...errorHeaders },
      securitySchemes,
    },
  };
}

/** `{+model}` → `{model}`: OpenAPI has no sign for several segments. */
export function documented(path: string): string {
  return path.replaceAll('{+', '{');
}

function namedSchemas(name: ClientFormatName, schemas: FormatSchemas): readonly (readonly [string, Schema])[] {
  const { request, response, compaction, count, list, model } = schemas;
  return Object.entries({ request, response, compaction, count, list, model, error: envelopes[name] }).flatMap(
    ([part, schema]) => (schema === undefined ? [] : [[`${name}.${part}`, schema] as const]),
  );
}

function schemaOf(name: ClientFormatName, part: string): Schema {
  return { $ref: `#/components/schemas/${name}.${part}` };
}

function operation(row: RouteRow): Schema {
  const names = namesIn(row.path);
  return {
    operationId: `${row.method.toLowerCase()} ${documented(row.path)}`.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, ''),
    tags: [row.format === 'marked' ? 'models' : row.format],
    summary: row.summary,
    parameters: [...names.map(pathParameter), ...queryParameters(row), ...headerParameters(row)],
    security: names.includes('provider') ? ownKeySecurity : keySecurity,
    ...(isChat(row) && { requestBody: requestBody(row, names) }),
    responses: {
      200: { description: 'OK', headers: references('headers', Object.keys(responseHeaders)), content: content(row) },
      ...errors(row),
    },
  };
}

function requestBody(row: RouteRow & { readonly format: ClientFormatName }, names: readonly string[]): Schema {
  const inPath = names.includes('model') && row.format !== 'generate_content';
  const part = row.operation === 'count' || inPath ? 'fields' : 'request';
  const content = { schema: requestSchema(row, part) };
  const types = ['application/json', ...(formatSchemas[row.format].media ?? [])];
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content])) };
}

/** The path names the model, or nothing about a response is required. */
function requestSchema(row: RouteRow & { readonly format: ClientFormatName }, part: string): Schema {
  if (part === 'request') return schemaOf(row.format, part);
  const { request, countRequest } = formatSchemas[row.format];
  if (row.operation === 'count' && countRequest !== undefined) return countRequest;
  const needed: readonly string[] = request.required;
  const spared = row.operation === 'count' ? ['max_tokens'] : ['model'];
  return { ...request, required: needed.filter((name) => !spared.includes(name)) };
}

const pathAbout: Readonly<Record<string, Schema>> = {
  model: {
    schema: { type: 'string', minLength: 1 },
    description: '`<provider>/<model>`, an alias, or a name of the catalog',
  },
  provider: {
    schema: { enum: vendorNames.flatMap((name) => [name, ...vendors[name].aliases]) },
    description: 'A provider or its alias',
  },
  id: { schema: { type: 'string', minLength: 1 }, description: 'Id of a stored response, as the gateway returned it' },
  endpoint: { schema: { type: 'string', minLength: 1 }, description: 'The endpoint in the address of the provider' },
};

function pathParameter(name: string): Schema {
  return { name, in: 'path', required: true, ...pathAbout[name] };
}

function queryParameters(row: RouteRow): readonly Schema[] {
  if (isChat(row)) {
    return row.framing === 'alt'
      ? [{ name: 'alt', in: 'query', schema: { enum: ['sse'] }, description: 'A stream of events' }]
      : [];
  }
  if (isStored(row)) return storedQuery[row.operation].map((name) => ({ name, in: 'query', schema: queryText }));
  if (row.operation !== 'models') return [];
  const formats = formatsOf(row);
  return formats.flatMap((name) =>
    Object.entries(formatSchemas[name].query ?? {}).map(([parameter, schema]) => ({
      name: parameter,
      in: 'query',
      schema,
    })),
  );
}

const queryText = { type: 'string' };

const storedQuery: Readonly<Record<StoredRow['operation'], readonly string[]>> = {
  read: ['include'],
  delete: [],
  cancel: [],
  items: ['include', 'limit', 'order', 'after'],
};

function formatsOf({ format }: RouteRow): readonly ClientFormatName[] {
  return format === 'marked' ? ['chat_completions', 'messages', 'generate_content'] : [format];
}

function headerParameters(row: RouteRow): readonly Schema[] {
  const marks = row.format === 'marked' ? ['anthropic-version', 'x-goog-api-client'] : [];
  const known = row.format === 'messages' ? ['anthropic-version', 'anthropic-beta'] : marks;
  return [...known, ...(isChat(row) ? ['x-svc-direct-key'] : []), 'x-request-id'].map((name) => ({
    name,
    in: 'header',
    schema: { type: 'string' },
    description: headerAbout[name],
  }));
}

const headerAbout: Readonly<Record<string, string>> = {
  'anthropic-version': 'A Messages client. At assistant-provider it goes up as sent',
  'anthropic-beta': 'At assistant-provider it goes up as sent',
  'x-goog-api-client': 'A generateContent client',
  'x-svc-direct-key': '`true`: the call uses the caller’s own provider key, and the virtual key is in `x-svc-vk`',
  'x-request-id': 'Id of the request in logs, at most 64 of `A-Za-z0-9._-`; else the gateway makes one',
};

const storedSchemas: Readonly<Record<StoredRow['operation'], Schema>> = {
  read: schemaOf('responses', 'response'),
  cancel: schemaOf('responses', 'response'),
  delete: { type: 'object', required: ['id'] },
  items: { type: 'object', required: ['data'], properties: { data: { type: 'array' } } },
};

function content(row: RouteRow): Schema {
  if (isStored(row)) {
    return { 'application/json': { schema: storedSchemas[row.operation] } };
  }
  if (!isChat(row)) {
    const part = row.operation === 'models' ? 'list' : 'model';
    const shapes = formatsOf(row).map((name) => schemaOf(name, part));
    return { 'application/json': { schema: shapes.length === 1 ? shapes[0] : { anyOf: shapes } } };
  }
  const whole = { schema: schemaOf(row.format, responseParts[row.operation]) };
  const events = { [formatSchemas[row.format].stream ?? 'text/event-stream']: { schema: { type: 'string' } } };
  if (row.operation === 'count' || row.stream === false) return { 'application/json': whole };
  if (row.stream === undefined) return { 'application/json': whole, ...events };
  return { ...(row.framing === 'alt' && { 'application/json': { schema: { type: 'array' } } }), ...events };
}

const responseParts = { generate: 'response', compact: 'compaction', count: 'count' } as const;

function errors(row: RouteRow): Schema {
  const codes = codesOf(row);
  const names = formatsOf(row).length === 1 ? formatsOf(row) : (['marked'] as const);
  const statuses = statusesOf(codes).map((status) => [String(status), reference(names[0], status)] as const);
  const ranges =
    isChat(row) || isStored(row)
      ? (['4XX', '5XX'] as const).map((range) => [range, reference(names[0], range)] as const)
      : [];
  return Object.fromEntries([...statuses, ...ranges]);
}

function reference(format: RouteRow['format'] = 'marked', status: number | '4XX' | '5XX'): Schema {
  return { $ref: `#/components/responses/${responseNames(format, status)}` };
}

function references(kind: 'headers', names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}

const keyHeaders = ['x-svc-vk', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

const securitySchemes: Schema = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A virtual key (`sk-svc-…`)' },
  ...Object.fromEntries(
    keyHeaders.map((name) => [name, { type: 'apiKey', in: 'header', name, description: 'A virtual key' }]),
  ),
  'project-api-key': { type: 'apiKey', in: 'header', name: 'project-api-key', description: 'A virtual key' },
  providerKey: { type: 'apiKey', in: 'header', name: 'authorization', description: 'The caller’s own provider key' },
  ...Object.fromEntries(
    ['cloud-access-key-id', 'cloud-secret-access-key', 'cloud-region-name'].map((name) => [
      name,
      { type: 'apiKey', in: 'header', name, description: 'The caller’s own access at managed-cloud-models' },
    ]),
  ),
};

const keySecurity = ['bearer', ...keyHeaders].map((name) => ({ [name]: [] }));
const ownKeySecurity = [
  { 'project-api-key': [], providerKey: [] },
  { 'project-api-key': [], 'cloud-access-key-id': [], 'cloud-secret-access-key': [], 'cloud-region-name': [] },
];
