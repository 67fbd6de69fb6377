// The form of tools, of the choice among them, and of the response format.
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

const functionTool = object({ type: anything, function: functionDefinition });

const customTool = object({
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
});

export const tools = toolList({ function: functionTool, custom: customTool });

/** For services whose only tools are functions. */
export const functionTools = toolList({ function: functionTool });

function toolList(kinds: Readonly<Record<string, Check>>): Check {
  return arrayOf(tagged('type', kinds), { min: 1, max: 128 });
}

const namedFunction = object({ type: anything, function: object({ name }) });

export const toolChoice = choiceOf({
  function: namedFunction,
  custom: object({ type: anything, custom: object({ name }) }),
  allowed_tools: object({
    type: anything,
    allowed_tools: object({ mode: oneOf('auto', 'required'), tools: arrayOf(anyObject, { min: 1 }) }),
  }),
});

export const functionToolChoice = choiceOf({ function: namedFunction });

function choiceOf(kinds: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (typeof value === 'string') return oneOf('none', 'auto', 'required')(value, path);
    if (!isObject(value)) throw wrongType(path, "one of 'none', 'auto', 'required' or an object", value);
    tagged('type', kinds)(value, path);
  };
}

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

/** The name of a tool, or of the tool that a choice names; function or custom. */
export function nameOf(tool: Json): string {
  const inner = isObject(tool.function) ? tool.function : tool.custom;
  return isObject(inner) ? String(inner.name) : '';
}
