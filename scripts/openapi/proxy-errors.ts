// The error responses of the proxy's document: for each status the codes of the table of errors, in the envelope of
// each client format.
import { type ErrorCode, errorTable } from '../../proxy/errors.ts';
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import { namesIn } from '../../proxy/http/path-table.ts';
import { isChat, isStored, type RouteRow } from '../../proxy/http/routes.ts';
import { errorHeaders } from './proxy-headers.ts';
import type { Schema } from './schemas.ts';

const allCodes = Object.keys(errorTable) as readonly ErrorCode[];

/** Codes of requests for models, which have no body and call no provider. */
const modelsCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['virtual_key_required', 'access_not_found', 'access_blocked', 'policy_access_denied'] as const),
  ...([
    'invalid_request',
    'conflicting_credentials',
    'route_not_found',
    'model_not_found',
    'method_not_allowed',
  ] as const),
  ...(['request_timeout', 'upgrade_not_supported', 'headers_too_large', 'internal_error'] as const),
  ...(['access_unavailable', 'overloaded', 'draining'] as const),
]);

/** The codes that the gateway itself may return on a route. */
export function codesOf(row: RouteRow): readonly ErrorCode[] {
  if (!isChat(row) && !isStored(row)) return allCodes.filter((code) => modelsCodes.has(code));
  return namesIn(row.path).includes('provider') ? allCodes : allCodes.filter((code) => code !== 'project_key_required');
}

/** A few messages have another status than the rest of their code. */
const furtherStatuses: Partial<Record<ErrorCode, readonly number[]>> = { policy_access_denied: [401] };

function statusesOfCode(code: ErrorCode): readonly number[] {
  return [errorTable[code].status, ...(furtherStatuses[code] ?? [])];
}

/** In ascending order, each once. */
export function statusesOf(codes: readonly ErrorCode[]): readonly number[] {
  return [...new Set(codes.flatMap(statusesOfCode))].toSorted((a, b) => a - b);
}

const cloudEnvelope: Schema = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' }, code: { type: 'string' }, hint: { type: 'string' } },
};

/** Schemas of the envelopes. */
export const envelopes: Readonly<Record<ClientFormatName, Schema>> = {
  chat_completions: chatEnvelope(),
  responses: chatEnvelope(),
  converse: cloudEnvelope,
  invoke: cloudEnvelope,
  messages: {
    type: 'object',
    required: ['type', 'error'],
    properties: {
      type: { const: 'error' },
      error: {
        type: 'object',
        required: ['type', 'message'],
        properties: {
          type: { type: 'string' },
          message: { type: 'string' },
          hint: { type: 'string' },
          details: { type: 'object', properties: { error_code: { type: 'string' } } },
        },
      },
      request_id: { type: 'string' },
    },
  },
  generate_content: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: {
          code: { type: 'integer' },
          message: { type: 'string' },
          status: { type: 'string' },
          hint: { type: 'string' },
          details: { type: 'array', items: { type: 'object', required: ['@type'] } },
        },
      },
    },
  },
};

function chatEnvelope(): Schema {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'param', 'code'],
        properties: {
          message: { type: 'string' },
          type: { type: 'string' },
          param: { type: ['string', 'null'] },
          code: { type: ['string', 'null'] },
          hint: { type: 'string' },
        },
      },
    },
  };
}

type Status = number | '4XX' | '5XX';

/** Name of the response in the document. */
export function responseNames(format: RouteRow['format'], status: Status): string {
  return `${format}.${status}`;
}

const formats = [...(Object.keys(envelopes) as readonly ClientFormatName[]), 'marked'] as const;

export const errorResponses: Readonly<Record<string, Schema>> = Object.fromEntries(
  formats.flatMap((format) => {
    const own = format === 'marked' ? allCodes.filter((code) => modelsCodes.has(code)) : allCodes;
    const named = statusesOf(own).map((status) => [
      responseNames(format, status),
      response(
        format,
        own
          .filter((code) => statusesOfCode(code).includes(status))
          .map((code) => `\`${code}\``)
          .join(', '),
      ),
    ]);
    if (format === 'marked') return named;
    const ranges = (['4XX', '5XX'] as const).map((range) => [
      responseNames(format, range),
      response(format, 'A refusal or failure of the provider, in its words'),
    ]);
    return [...named, ...ranges];
  }),
);

function response(format: (typeof formats)[number], description: string): Schema {
  const readers = format === 'marked' ? (['chat_completions', 'messages', 'generate_content'] as const) : [format];
  const shapes = readers.map((name) => ({ $ref: `#/components/schemas/${name}.error` }));
  const headers = Object.keys(errorHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  const schema = shapes.length === 1 ? shapes[0] : { anyOf: shapes };
  return { description, headers: Object.fromEntries(headers), content: { 'application/json': { schema } } };
}
