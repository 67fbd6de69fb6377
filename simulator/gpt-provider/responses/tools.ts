// The form of tools and of the choice among them (Tool, ToolChoice… of the vendor's SDK), and the tools that a request
// offers as chat completions has them.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  FieldFault,
  integer,
  isObject,
  type Json,
  nullable,
  object,
  oneOf,
  string,
  tagged,
  wrongType,
} from '../../checks.ts';

const name = string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });
const type = anything;
const callers = nullable(arrayOf(oneOf('direct', 'programmatic')));
const searchSize = oneOf('low', 'medium', 'high');

/** A tool in the form of chat completions lacks its name: the vendor reports that, not the member `function`. */
const named =
  (check: Check): Check =>
  (value, path) => {
    if (isObject(value) && value.name === undefined)
      throw new FieldFault(`${path}.name`, { kind: 'missing' }, undefined);
    check(value, path);
  };

const functionTool = named(
  object(
    { type, name },
    {
      parameters: nullable(anyObject),
      strict: nullable(boolean),
      description: nullable(string()),
      allowed_callers: callers,
      async: boolean,
      defer_loading: boolean,
      output_schema: nullable(anyObject),
    },
  ),
);

const customTool = named(
  object(
    { type, name },
    {
      description: string(),
      format: tagged('type', {
        text: object({ type }),
        grammar: object({ type, syntax: oneOf('lark', 'regex'), definition: string() }),
      }),
      allowed_callers: callers,
      async: boolean,
      defer_loading: boolean,
    },
  ),
);

const namespaceTool = object({
  type,
  name,
  description: string(),
  tools: arrayOf(tagged('type', { function: functionTool, custom: customTool }), { min: 1 }),
});

const webSearch = object(
  { type },
  {
    external_web_access: boolean,
    filters: nullable(object({}, { allowed_domains: nullable(arrayOf(string(), { max: 100 })) })),
    search_context_size: searchSize,
    user_location: nullable(anyObject),
    search_content_types: arrayOf(oneOf('text', 'image')),
  },
);

const mcp = object(
  { type, server_label: string({ min: 1 }) },
  {
    allowed_callers: callers,
    allowed_tools: nullable((value, path) =>
      Array.isArray(value) ? arrayOf(string())(value, path) : anyObject(value, path),
    ),
    authorization: string(),
    connector_id: string(),
    defer_loading: boolean,
    headers: nullable(anyObject),
    require_approval: nullable((value, path) =>
      typeof value === 'string' ? oneOf('always', 'never')(value, path) : anyObject(value, path),
    ),
    server_description: string(),
    server_url: string(),
    tunnel_id: string(),
  },
);

const imageGeneration = object(
  { type },
  {
    action: oneOf('generate', 'edit', 'auto'),
    background: oneOf('transparent', 'opaque', 'auto'),
    complexity: oneOf('low', 'medium', 'high'),
    frame_count: integer(1),
    frame_duration_ms: integer(1),
    input_fidelity: nullable(oneOf('high', 'low')),
    input_image_mask: object({}, { file_id: string(), image_url: string() }),
    model: string(),
    moderation: oneOf('auto', 'low'),
    output_compression: integer(0, 100),
    output_format: oneOf('png', 'webp', 'jpeg', 'gif', 'svg'),
    partial_images: integer(0, 3),
    quality: oneOf('low', 'medium', 'high', 'xhigh', 'max', 'auto'),
    size: string(),
    svg: anyObject,
  },
);

const container: Check = (value, path) =>
  typeof value === 'string' ? string({ min: 1 })(value, path) : tagged('type', { auto: anyObject })(value, path);

/** The tools that the vendor runs, or whose calls have a form of their own. */
const hosted = {
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearch,
  web_search_preview_2025_03_11: webSearch,
  file_search: object(
    { type, vector_store_ids: arrayOf(string(), { min: 1 }) },
    { filters: nullable(anyObject), max_num_results: integer(1, 50), ranking_options: anyObject },
  ),
  code_interpreter: object({ type, container }, { allowed_callers: callers }),
  image_generation: imageGeneration,
  mcp,
  computer: object({ type }),
  computer_use_preview: object({
    type,
    display_height: integer(1),
    display_width: integer(1),
    environment: oneOf('windows', 'mac', 'linux', 'ubuntu', 'browser'),
  }),
  shell: object({ type }, { allowed_callers: callers, environment: nullable(anyObject) }),
  local_shell: object({ type }),
  apply_patch: object({ type }, { allowed_callers: callers }),
  programmatic_tool_calling: object({ type }),
  tool_search: object(
    { type },
    { description: nullable(string()), execution: oneOf('server', 'client'), parameters: nullable(anything) },
  ),
} as const satisfies Readonly<Record<string, Check>>;

export const tools = arrayOf(
  tagged('type', { function: functionTool, custom: customTool, namespace: namespaceTool, ...hosted }),
  { max: 128 },
);

const hostedChoices = Object.fromEntries(
  [...Object.keys(hosted), 'computer_use'].filter((one) => one !== 'mcp').map((one) => [one, object({ type })]),
);

export const toolChoice: Check = (value, path) => {
  if (typeof value === 'string') return oneOf('none', 'auto', 'required')(value, path);
  if (!isObject(value)) throw wrongType(path, "one of 'none', 'auto', 'required' or an object", value);
  tagged('type', {
    function: named(object({ type, name })),
    custom: named(object({ type, name })),
    allowed_tools: object({ type, mode: oneOf('auto', 'required'), tools: arrayOf(anyObject, { min: 1 }) }),
    mcp: object({ type, server_label: string() }, { name: nullable(string()) }),
    ...hostedChoices,
  })(value, path);
};

export const include = arrayOf(
  oneOf(
    'file_search_call.results',
    'web_search_call.results',
    'web_search_call.action.sources',
    'message.input_image.image_url',
    'computer_call_output.output.image_url',
    'code_interpreter_call.outputs',
    'reasoning.encrypted_content',
    'message.output_text.logprobs',
  ),
);

/** One function or custom tool, with the namespace that it is in. */
export interface CallableTool {
  readonly name: string;
  readonly custom: boolean;
  readonly namespace: string | undefined;
  readonly tool: Json;
}

export function callableTools(offered: readonly Json[]): readonly CallableTool[] {
  return offered.flatMap((tool) => {
    if (tool.type === 'namespace') {
      return (tool.tools as readonly Json[]).map((one) => callable(one, String(tool.name)));
    }
    return tool.type === 'function' || tool.type === 'custom' ? [callable(tool, undefined)] : [];
  });
}

function callable(tool: Json, namespace: string | undefined): CallableTool {
  return { name: String(tool.name), custom: tool.type === 'custom', namespace, tool };
}

/** As a script of a test names it: `search`, or `maps__search` in a namespace. */
export function nameInChat({ name: own, namespace }: CallableTool): string {
  return namespace === undefined ? own : `${namespace}__${own}`;
}

export function isWebSearch(tool: Json): boolean {
  return typeof tool.type === 'string' && tool.type.startsWith('web_search');
}

/** The tools in the form of chat completions. Hosted tools have none. */
export function chatTools(offered: readonly CallableTool[]): readonly Json[] {
  return offered.map((one) => {
    const { description, parameters } = one.tool;
    const definition = { name: nameInChat(one), ...(description != null && { description }) };
    return one.custom
      ? { type: 'custom', custom: definition }
      : { type: 'function', function: { ...definition, ...(isObject(parameters) && { parameters }) } };
  });
}

/** The choice in the form of chat completions; undefined for hosted tools. */
export function chatToolChoice(choice: unknown, offered: readonly CallableTool[]): unknown {
  if (!isObject(choice)) return choice;
  if (choice.type === 'allowed_tools') {
    const allowed = (choice.tools as readonly Json[]).flatMap((one) => chatToolChoice(one, offered) ?? []);
    return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: allowed } };
  }
  const chosen = offered.find((one) => one.tool.type === choice.type && one.name === choice.name);
  return chosen && { type: choice.type, [String(choice.type)]: { name: nameInChat(chosen) } };
}
