// Reads the tools of a request and the tool choice. The deprecated `functions` and `function_call` become tools here,
// and the response is written in their form again.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { readCacheMark } from '../../conversation/cache-marks.ts';
import { invalid, unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ToolChoice, ToolDefinition, Tools } from '../../conversation/tools.ts';

/** @throws GatewayError invalid_request, unsupported_parameter (custom tools) */
export function readTools(body: JsonObject): Tools {
  const asFunctions = !isGiven(body.tools) && isGiven(body.functions);
  const definitions = asFunctions
    ? list(body.functions, 'functions').map((one, i) => readFunction(one, `functions[${i}]`))
    : list(body.tools, 'tools').map(readTool);
  const choice = asFunctions ? readFunctionChoice(body.function_call) : readChoice(body.tool_choice);
  checkChoice(choice, definitions, asFunctions ? 'function_call' : 'tool_choice');
  const parallel = body.parallel_tool_calls;
  if (isGiven(parallel) && typeof parallel !== 'boolean') {
    throw invalid('parallel_tool_calls', 'parallel_tool_calls must be true or false');
  }
  return { definitions, choice, parallel: asFunctions ? false : (parallel ?? undefined), asFunctions };
}

function list(value: unknown, at: string): readonly unknown[] {
  if (!isGiven(value)) return [];
  if (Array.isArray(value)) return value;
  throw invalid(at, `${at} must be an array`);
}

function readTool(value: unknown, index: number): ToolDefinition {
  const at = `tools[${index}]`;
  if (!isObject(value)) throw invalid(at, `${at} must be an object`);
  if (value.type === 'custom') throw unsupported(at, 'custom tools are not supported by this provider');
  if (value.type !== 'function') throw invalid(`${at}.type`, `${at}.type must be function`);
  const definition = readFunction(value.function, `${at}.function`);
  return { ...definition, cache: readCacheMark(value) ?? definition.cache };
}

const nameForm = /^[A-Za-z0-9_-]{1,64}$/;

function readFunction(value: unknown, at: string): ToolDefinition {
  if (!isObject(value)) throw invalid(at, `${at} must be an object`);
  const { name, description, parameters, strict } = value;
  if (typeof name !== 'string' || !nameForm.test(name)) {
    throw invalid(`${at}.name`, `${at}.name must be 1 to 64 letters, digits, _ or -`);
  }
  if (isGiven(parameters) && !isObject(parameters)) {
    throw invalid(`${at}.parameters`, `${at}.parameters must be a JSON Schema object`);
  }
  const types = isObject(parameters) ? [parameters.type ?? 'object'].flat() : ['object'];
  if (!types.includes('object')) {
    throw invalid(`${at}.parameters.type`, `${at}.parameters.type must be object`);
  }
  return {
    name,
    description: typeof description === 'string' && description !== '' ? description : undefined,
    parameters: isObject(parameters) ? parameters : undefined,
    strict: typeof strict === 'boolean' ? strict : undefined,
    cache: readCacheMark(value),
  };
}

function readChoice(value: unknown): ToolChoice {
  if (!isGiven(value)) return { kind: 'default' };
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value };
  if (isObject(value)) {
    if (value.type === 'function') return { kind: 'named', name: nameOf(value.function, 'tool_choice.function') };
    if (value.type === 'custom') {
      throw unsupported('tool_choice', 'custom tools are not supported by this provider');
    }
    if (value.type === 'allowed_tools') return readAllowed(value.allowed_tools);
  }
  throw invalid('tool_choice', 'tool_choice must be none, auto, required or name a tool');
}

function readAllowed(value: unknown): ToolChoice {
  const at = 'tool_choice.allowed_tools';
  if (!isObject(value) || (value.mode !== 'auto' && value.mode !== 'required')) {
    throw invalid(at, `${at}.mode must be auto or required`);
  }
  const names = list(value.tools, `${at}.tools`).map((one, i) => {
    const inner = isObject(one) ? one.function : undefined;
    return nameOf(inner, `${at}.tools[${i}].function`);
  });
  return { kind: 'allowed', mode: value.mode, names };
}

function readFunctionChoice(value: unknown): ToolChoice {
  if (!isGiven(value)) return { kind: 'default' };
  if (value === 'auto' || value === 'none') return { kind: value };
  return { kind: 'named', name: nameOf(value, 'function_call') };
}

function nameOf(value: unknown, at: string): string {
  if (isObject(value) && typeof value.name === 'string') return value.name;
  throw invalid(at, `${at} must contain the name of a tool`);
}

function checkChoice(choice: ToolChoice, definitions: readonly ToolDefinition[], at: string): void {
  const known = new Set(definitions.map(({ name }) => name));
  const names = choice.kind === 'named' ? [choice.name] : choice.kind === 'allowed' ? choice.names : [];
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw invalid(at, `${at} names a tool that the request does not define`);
  if (choice.kind === 'required' && definitions.length === 0) {
    throw invalid(at, `${at} is only allowed when tools are given`);
  }
}
