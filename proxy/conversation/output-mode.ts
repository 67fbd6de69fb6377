// How a response in JSON is requested from a model that may lack a native mode: by the vendor's schema mode, as the
// input of a tool that must be called, or by an instruction in the system texts. The choice is a pure function of the
// request, so that the response is read in the way in which it was requested.
import type { JsonObject } from '../../common/json.ts';
import type { ToolDefinition, Tools } from './tools.ts';

export type ResponseFormat =
  | { readonly kind: 'text' }
  /** Any JSON object. */
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name: string;
      readonly description: string | undefined;
      /** JSON Schema. */
      readonly schema: JsonObject;
      readonly strict: boolean;
    };

export type OutputMode =
  | { readonly kind: 'text' }
  /** Any JSON object, by a mode of the vendor. */
  | { readonly kind: 'json' }
  | { readonly kind: 'native'; readonly schema: JsonObject }
  | { readonly kind: 'tool'; readonly tool: ToolDefinition }
  /** An instruction to be added to the system texts. */
  | { readonly kind: 'words'; readonly text: string };

export interface OutputAbilities {
  /** The schema in the vendor's form; undefined if the vendor does not support it. */
  native(schema: JsonObject): JsonObject | undefined;
  /** Whether the vendor has a mode for JSON without a schema. */
  readonly json?: boolean;
  readonly forcedTools: boolean;
}

export function outputModeOf(format: ResponseFormat, tools: Tools, abilities: OutputAbilities): OutputMode {
  if (format.kind === 'text') return { kind: 'text' };
  if (format.kind === 'json' && abilities.json === true) return { kind: 'json' };
  const schema = format.kind === 'schema' ? abilities.native(format.schema) : undefined;
  if (schema !== undefined) return { kind: 'native', schema };
  // The response must be a call, so there is no text that could have a form.
  if (mustCall(tools)) return { kind: 'text' };
  if (format.kind === 'json') return { kind: 'words', text: `Answer with one JSON object ${nothingElse}` };
  if (abilities.forcedTools && format.schema.type === 'object') {
    return { kind: 'tool', tool: responseTool(format, tools) };
  }
  const text = `Answer with JSON that keeps to the JSON Schema below ${nothingElse}\n${JSON.stringify(format.schema)}`;
  return { kind: 'words', text };
}

/** The schema with the description of the whole response, for vendors that take a schema alone. */
export function describedSchema(schema: JsonObject, format: ResponseFormat): JsonObject {
  const description = format.kind === 'schema' ? format.description : undefined;
  return description === undefined || schema.description !== undefined ? schema : { ...schema, description };
}

const nothingElse = 'and with nothing else: no words around it, no code fence.';

/** Whether the request demands a call: then no text has to be in any form. */
export function mustCall({ choice }: Tools): boolean {
  if (choice.kind === 'allowed') return choice.mode === 'required';
  return choice.kind === 'required' || choice.kind === 'named';
}

/** Whether the model may call a function. */
export function mayCall({ definitions, choice }: Tools): boolean {
  return definitions.length > 0 && choice.kind !== 'none';
}

function responseTool(format: Extract<ResponseFormat, { kind: 'schema' }>, tools: Tools): ToolDefinition {
  const purpose = 'Gives the answer: its input is all that is said.';
  let name = 'json_tool_call';
  while (tools.definitions.some((one) => one.name === name)) name += '_';
  return {
    name,
    description: format.description === undefined ? purpose : `${purpose} ${format.description}`,
    parameters: format.schema,
    strict: undefined,
    cache: undefined,
  };
}

/** The tools with the response tool added; the model must call one of them. */
export function withResponseTool(tools: Tools, form: OutputMode): Tools {
  if (form.kind !== 'tool') return tools;
  const { definitions, choice, asFunctions } = tools;
  const { tool } = form;
  const usable = choice.kind === 'none' ? [] : definitions;
  const names = choice.kind === 'allowed' ? new Set(choice.names) : undefined;
  const allowed = usable.filter(({ name }) => names?.has(name) ?? true);
  return {
    definitions: [...allowed, tool],
    choice: allowed.length === 0 ? { kind: 'named', name: tool.name } : { kind: 'required' },
    parallel: false,
    asFunctions,
  };
}

/** The text of a response on its way to the caller, whole or in pieces, without what only its output mode added. */
export class ResponseText {
  readonly #form: OutputMode;
  readonly #fence = new FenceFilter();
  #pending = '';
  #hasInput = false;

  constructor(form: OutputMode) {
    this.#form = form;
  }

  /** Whether a call of this tool is the response. */
  isResponseTool(tool: string): boolean {
    return this.#form.kind === 'tool' && this.#form.tool.name === tool;
  }

  /** Takes a piece of the model's text. @returns the text that the caller may have by now */
  push(text: string): string {
    if (this.#form.kind === 'words') return this.#fence.push(text);
    if (this.#form.kind !== 'tool') return text;
    // If the response tool is called, this text is not part of the JSON. If it is not called, this text is the
    // response.
    this.#pending += text;
    return '';
  }

  /** Takes a piece of the input of the call that is the response. */
  pushInput(json: string): string {
    this.#hasInput = true;
    return json;
  }

  /** The text that was held back. */
  end(): string {
    if (this.#form.kind === 'words') return this.#fence.end();
    return this.#hasInput ? '' : this.#pending;
  }
}

/** Removes a Markdown fence around the whole text: models add one even if the request forbids it. */
class FenceFilter {
  #pending = '';
  #state: 'start' | 'plain' | 'fenced' | 'closed' = 'start';

  push(text: string): string {
    this.#pending += text;
    if (this.#state === 'start') this.#open();
    switch (this.#state) {
      case 'start':
      case 'closed':
        return '';
      case 'plain':
        return this.#take(this.#pending.length);
      case 'fenced':
        return this.#inside();
    }
  }

  end(): string {
    return this.#state === 'closed' || this.#pending.includes('```') ? '' : this.#pending;
  }

  #open(): void {
    const begun = this.#pending.trimStart();
    const fence = /^```\w{0,16}\s{0,16}(?=[[{])/.exec(begun)?.[0];
    if (fence !== undefined) {
      this.#pending = begun.slice(fence.length);
      this.#state = 'fenced';
    } else if (this.#pending.length > fenceMax || !/^(`{0,3}|```\w*\s*)$/.test(begun)) this.#state = 'plain';
  }

  /** Inside the fence everything passes except a possible closing fence. No line of JSON begins with a fence. */
  #inside(): string {
    const closing = /\n[ \t]*```/.exec(this.#pending);
    if (closing === null) return this.#take(endOfText(this.#pending));
    this.#state = 'closed';
    return this.#take(closing.index);
  }

  #take(length: number): string {
    const taken = this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    return taken;
  }
}

const fenceMax = 64;

/** Index after the last character that is neither blank nor a backtick. */
function endOfText(text: string): number {
  let end = text.length;
  while (end > 0 && /[\s`]/.test(text.charAt(end - 1))) end--;
  return end;
}
