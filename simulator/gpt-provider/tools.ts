// Tools, the choice among them and the form of the answer, as the vendor takes them.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  isObject,
  type Json,
  nullable,
  object,
  oneOf,
  string,
  tagged,
  wrongType,
} from '../checks.ts';

const name = string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });

export const functionDefinition = object(
  { name },
  { description: string(), parameters: anyObject, strict: nullable(boolean) },
);

export const tools = arrayOf(
  tagged('type', {
    function: object({ type: anything, function: functionDefinition }),
    custom: object({
      type: anything,
      custom: object(
        { name },
        {
          description: string(),
          format: tagged('type', {
            text: object({ type: anything }),
            grammar: object({
              type: anything,
              grammar: object({ syntax: oneOf('lark', 'regex'), definition: string() }),
            }),
          }),
        },
      ),
    }),
  }),
  { min: 1, max: 128 },
);

const named = tagged('type', {
  function: object({ type: anything, function: object({ name }) }),
  custom: object({ type: anything, custom: object({ name }) }),
  allowed_tools: object({
    type: anything,
    allowed_tools: object({ mode: oneOf('auto', 'required'), tools: arrayOf(anyObject, { min: 1 }) }),
  }),
});

export const toolChoice: Check = (value, path) => {
  if (typeof value === 'string') return oneOf('none', 'auto', 'required')(value, path);
  if (!isObject(value)) throw wrongType(path, "one of 'none', 'auto', 'required' or an object", value);
  named(value, path);
};

export const functionChoice: Check = (value, path) => {
  if (typeof value === 'string') return oneOf('none', 'auto')(value, path);
  object({ name })(value, path);
};

export const responseFormat = tagged('type', {
  text: object({ type: anything }),
  json_object: object({ type: anything }),
  json_schema: object({
    type: anything,
    json_schema: object({ name }, { description: string(), schema: anyObject, strict: nullable(boolean) }),
  }),
});

/** Name of a tool or of what a choice names, function or custom. */
export function nameOf(tool: Json): string {
  const inner = isObject(tool.function) ? tool.function : tool.custom;
  return isObject(inner) ? String(inner.name) : '';
}
