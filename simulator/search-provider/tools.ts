// Tools and the choice among them, as in the vendor's messages, and the rules among them.
import type { SimulatedModel } from './models.ts';
import {
  anyValue,
  enumeration,
  flag,
  float,
  int32,
  listOf,
  type Message,
  mapOf,
  message,
  type Reader,
  text,
} from './proto.ts';
import { invalidArgument, invalidField } from './refusal.ts';
import { checkJsonSchema, checkSchema, schema } from './schema.ts';

const functionDeclaration = message('FunctionDeclaration', {
  name: text,
  description: text,
  parameters: schema,
  parametersJsonSchema: anyValue,
  response: schema,
  responseJsonSchema: anyValue,
  behavior: enumeration('FunctionDeclaration.Behavior', ['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']),
});

const empty = (type: string) => message(type, {});

const tool = message('Tool', {
  functionDeclarations: listOf(functionDeclaration),
  googleSearch: message('GoogleSearch', {
    timeRangeFilter: message('Interval', { startTime: text, endTime: text }),
    searchTypes: message('SearchTypes', { webSearch: empty('WebSearch'), imageSearch: empty('ImageSearch') }),
  }),
  googleSearchRetrieval: message('GoogleSearchRetrieval', {
    dynamicRetrievalConfig: message('DynamicRetrievalConfig', {
      mode: enumeration('DynamicRetrievalConfig.Mode', ['MODE_UNSPECIFIED', 'MODE_DYNAMIC']),
      dynamicThreshold: float,
    }),
  }),
  codeExecution: empty('CodeExecution'),
  urlContext: empty('UrlContext'),
  computerUse: message('ComputerUse', {
    environment: enumeration('ComputerUse.Environment', [
      'ENVIRONMENT_UNSPECIFIED',
      'ENVIRONMENT_BROWSER',
      'ENVIRONMENT_MOBILE',
      'ENVIRONMENT_DESKTOP',
    ]),
    excludedPredefinedFunctions: listOf(text),
    enablePromptInjectionDetection: flag,
    disabledSafetyPolicies: listOf(text),
  }),
  fileSearch: message('FileSearch', {
    fileSearchStoreNames: listOf(text),
    metadataFilter: text,
    topK: int32,
  }),
  googleMaps: message('GoogleMaps', { enableWidget: flag }),
  mcpServers: listOf(
    message('McpServer', {
      name: text,
      streamableHttpTransport: message('StreamableHttpTransport', {
        url: text,
        headers: mapOf(text),
        timeout: text,
        sseReadTimeout: text,
        terminateOnClose: flag,
      }),
    }),
  ),
});

export const toolFields = {
  tools: listOf(tool),
  toolConfig: message('ToolConfig', {
    functionCallingConfig: message('FunctionCallingConfig', {
      mode: enumeration('FunctionCallingConfig.Mode', ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']),
      allowedFunctionNames: listOf(text),
    }),
    retrievalConfig: message('RetrievalConfig', {
      latLng: message('google.type.LatLng', { latitude: float, longitude: float }),
      languageCode: text,
    }),
    includeServerSideToolInvocations: flag,
  }),
};

export type FunctionDeclaration = typeof functionDeclaration extends Reader<infer T> ? T : never;
export type ToolFields = Message<typeof toolFields>;

export function declarationsOf({ tools = [] }: ToolFields): readonly FunctionDeclaration[] {
  return tools.flatMap((one) => one.functionDeclarations ?? []);
}

/** Whether the request has a tool that the vendor runs. */
export function hasBuiltIn({ tools = [] }: ToolFields): boolean {
  return tools.some((one) => Object.keys(one).some((key) => key !== 'functionDeclarations'));
}

/** @throws Refusal */
export function checkTools(given: ToolFields, model: SimulatedModel): void {
  given.tools?.forEach((one, index) => {
    const fields = Object.entries(one).filter(([, value]) => !Array.isArray(value) || value.length > 0);
    if (fields.length === 0) {
      const what = "required one_of 'tool_type' must have one initialized field";
      throw invalidField(`tools[${index}].tool_type`, what);
    }
    if (one.googleSearchRetrieval !== undefined) {
      throw invalidArgument('google_search_retrieval is not supported. Please use google_search tool instead.');
    }
    one.functionDeclarations?.forEach((declaration, at) => {
      checkDeclaration(declaration, `tools[${index}].function_declarations[${at}]`);
    });
  });
  checkNames(given);
  checkChoice(given);
  if (!hasBuiltIn(given) || declarationsOf(given).length === 0) return;
  if (!model.combinesTools) throw invalidArgument('Tool use with function calling is unsupported');
  if (given.toolConfig?.includeServerSideToolInvocations === true) return;
  throw invalidArgument(
    'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
  );
}

function checkDeclaration(one: FunctionDeclaration, path: string): void {
  if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(one.name ?? '')) {
    const what =
      'Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.';
    throw invalidField(`${path}.name`, what);
  }
  if (one.parameters !== undefined && one.parametersJsonSchema !== undefined) {
    throw invalidField(path, 'parameters and parameters_json_schema are mutually exclusive');
  }
  if (one.response !== undefined && one.responseJsonSchema !== undefined) {
    throw invalidField(path, 'response and response_json_schema are mutually exclusive');
  }
  if (one.parameters !== undefined) {
    checkSchema(one.parameters, `${path}.parameters`);
    if (one.parameters.type !== 'OBJECT') throw invalidField(`${path}.parameters.type`, 'should be OBJECT');
  }
  if (one.parametersJsonSchema === undefined) return;
  checkJsonSchema(one.parametersJsonSchema, `${path}.parameters_json_schema`);
  // The check above accepts every schema that is an object. That the schema's type is `object` is a rule only for
  // functions.
  const { type = 'object' } = one.parametersJsonSchema as { type?: unknown };
  if (type !== 'object') throw invalidField(`${path}.parameters_json_schema.type`, 'should be object');
}

const declarationsMax = 512;

function checkNames(given: ToolFields): void {
  const names = declarationsOf(given).map((one) => one.name);
  if (names.length > declarationsMax) {
    throw invalidArgument(`At most ${declarationsMax} function declarations are allowed, got ${names.length}.`);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidArgument(`Duplicate function declaration found: ${twice}`);
}

function checkChoice(given: ToolFields): void {
  const config = given.toolConfig?.functionCallingConfig;
  if (config === undefined) return;
  const names = declarationsOf(given).map((one) => one.name);
  if (names.length === 0) throw invalidArgument('Function calling config is set without function_declarations.');
  const { mode, allowedFunctionNames = [] } = config;
  if (allowedFunctionNames.length === 0) return;
  const path = 'tool_config.function_calling_config.allowed_function_names';
  if (mode !== 'ANY' && mode !== 'VALIDATED') {
    throw invalidField(path, 'should only be set when the function calling mode is ANY or VALIDATED');
  }
  const unknown = allowedFunctionNames.findIndex((name) => !names.includes(name));
  if (unknown < 0) return;
  const what = `function ${allowedFunctionNames[unknown]} is not among the function_declarations`;
  throw invalidField(`${path}[${unknown}]`, what);
}
