// Locations of text in a request (SDK type `ChatCompletionCreateParams`). A field that is not named here is inspected.
import type { RequestField } from '../../proto/words/guardrails.ts';
import { anything, exempt, fields, fixed, type TextLocation, text, unseen } from './inspection-schema.ts';
import { cacheMark, called, content, id, messageFields, name, number, word } from './message-schema.ts';

const propertyName = fixed('it refers to a property of the same name');
const schemaNumber = exempt('a bound');

/** JSON Schema: the model sees all of it. */
export const schema: TextLocation = {
  strings: 'text',
  get fields() {
    return schemaFields;
  },
};
/** By property name; the names are inspected too. */
const schemas: TextLocation = { strings: 'text', others: schema };

const schemaFields: Readonly<Record<string, TextLocation>> = {
  type: word,
  format: word,
  title: text,
  description: text,
  $comment: text,
  default: anything,
  const: anything,
  enum: anything,
  examples: anything,
  required: propertyName,
  dependentRequired: { strings: 'text', others: propertyName },
  properties: schemas,
  patternProperties: schemas,
  dependentSchemas: schemas,
  $defs: schemas,
  definitions: schemas,
  items: schema,
  prefixItems: schema,
  contains: schema,
  additionalProperties: schema,
  unevaluatedProperties: schema,
  propertyNames: schema,
  anyOf: schema,
  oneOf: schema,
  allOf: schema,
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: schema,
  else: schema,
  pattern: fixed('a regular expression'),
  $ref: fixed('leads to a name'),
  $id: fixed('a name'),
  $anchor: fixed('a name'),
  $schema: exempt('which JSON Schema it is', (value) => /^https?:\/\/json-schema\.org\/[\w./#-]*$/.test(value)),
  minLength: schemaNumber,
  maxLength: schemaNumber,
  minItems: schemaNumber,
  maxItems: schemaNumber,
  minProperties: schemaNumber,
  maxProperties: schemaNumber,
  cache_control: cacheMark,
};

const definition = fields({
  name,
  description: text,
  parameters: schema,
  cache_control: cacheMark,
  strict: anything,
});

const grammar = fields({ type: word, grammar: fields({ syntax: word, definition: text }) });
const tool = fields({
  type: word,
  function: definition,
  custom: fields({ name, description: text, format: grammar }),
  cache_control: cacheMark,
});

const namedTool = fields({ name });
const toolChoice: TextLocation = {
  ...word,
  fields: {
    type: word,
    name,
    function: namedTool,
    custom: namedTool,
    allowed_tools: fields({
      mode: word,
      tools: fields({ type: word, function: namedTool, custom: namedTool }),
    }),
  },
};

export const requestLocations = fields({
  messages: { ...fields(messageFields), turn: 'by role' },
  tools: tool,
  functions: definition,
  tool_choice: toolChoice,
  function_call: { ...word, fields: called.fields ?? {} },
  response_format: fields({
    type: word,
    json_schema: fields({ name, description: text, schema, strict: anything }),
  }),
  prediction: fields({ type: word, content }),
  stop: fixed('a placeholder would end the response elsewhere'),
  web_search_options: fields({
    search_context_size: word,
    user_location: fields({
      type: word,
      approximate: fields({ city: text, country: text, region: text, timezone: text }),
    }),
  }),
  // Fields that the model does not see.
  model: exempt('the gateway reads it'),
  user: exempt("names the caller's user to the vendor"),
  safety_identifier: exempt("names the caller's user to the vendor"),
  prompt_cache_key: exempt('names a cache to the vendor'),
  metadata: unseen('the vendor stores it with the response'),
  stream_options: unseen('how the response is sent'),
  logit_bias: unseen('ids of tokens and numbers'),
  audio: fields({ voice: { ...word, fields: { id } }, format: word }),
  modalities: word,
  service_tier: word,
  reasoning_effort: word,
  verbosity: word,
  prompt_cache_retention: word,
  cache_control: cacheMark,
  ...Object.fromEntries(
    [
      'stream',
      'store',
      'logprobs',
      'parallel_tool_calls',
      'temperature',
      'top_p',
      'top_k',
      'top_logprobs',
      'n',
      'seed',
      'max_tokens',
      'max_completion_tokens',
      'presence_penalty',
      'frequency_penalty',
    ].map((option) => [option, number]),
  ),
});

/** The format's own fields for those that are requested. */
function underOtherNames(requested: readonly RequestField[], base: TextLocation): Record<string, TextLocation> {
  const own = Object.entries(base.fields ?? {}).flatMap(([name, { requestedBy = [] }]) =>
    requestedBy.some((field) => requested.includes(field)) ? [[name, { ...text, only: requestedBy }] as const] : [],
  );
  return Object.fromEntries(own);
}

/** For each format's request, by the fields that guardrails request in addition to those that the model sees. */
const withFields = new WeakMap<TextLocation, Map<string, TextLocation>>();

/**
 * @param also fields that the model does not see, inspected for the guardrails that request them
 * @param base the locations of text in a request of the client's format
 */
export function requestLocationsWith(also: readonly RequestField[], base = requestLocations): TextLocation {
  if (also.length === 0) return base;
  const requested = [...new Set(also)].sort();
  const key = requested.join();
  const cached = withFields.get(base) ?? new Map<string, TextLocation>();
  withFields.set(base, cached);
  const known = cached.get(key);
  if (known !== undefined) return known;
  const shown = Object.fromEntries(requested.map((field) => [field, { ...text, only: [field] }]));
  const location = fields({ ...base.fields, ...shown, ...underOtherNames(requested, base) });
  cached.set(key, location);
  return location;
}
