// Tools that the vendor runs (SDK type `Tool`). Callers request them by `web_search_options`, or by the vendor's names
// in their own list of tools, as `{"googleSearch":{}}`, `{"urlContext":{}}` or `{"codeExecution":{}}`.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { OptionFields } from '../../conversation/request.ts';
import type { ReadBy } from './fields.ts';

export interface SplitTools {
  /** The options with only the caller's own tools. */
  readonly options: OptionFields;
  /** The vendor's tools, in its form. */
  readonly own: readonly JsonObject[];
}

/** @throws GatewayError invalid_request */
export function splitTools(options: OptionFields): SplitTools {
  if (!Array.isArray(options.tools)) return { options, own: [] };
  const own: JsonObject[] = [];
  const tools = options.tools.filter((tool: unknown, index) => {
    const found = readOwnTool(tool, `tools[${index}]`);
    if (found !== undefined) own.push(found);
    return found === undefined;
  });
  return { options: { ...options, tools }, own };
}

/** Adds the search that `web_search_options` requests. */
export function withSearch(own: readonly JsonObject[]): readonly JsonObject[] {
  return own.some((tool) => tool.googleSearch !== undefined) ? own : [...own, { googleSearch: {} }];
}

/** What `web_search_options` contain: the vendor's search has no such options. */
export function lostOfSearch({ web_search_options: options }: ReadBy<'search'>): string[] {
  if (!isObject(options)) return [];
  return Object.keys(options)
    .filter((name) => isGiven(options[name]))
    .map((name) => `web_search_options.${name}`);
}

const names: ReadonlyMap<string, string> = new Map([
  ['googleSearch', 'googleSearch'],
  ['google_search', 'googleSearch'],
  ['urlContext', 'urlContext'],
  ['url_context', 'urlContext'],
  ['codeExecution', 'codeExecution'],
  ['code_execution', 'codeExecution'],
]);

function readOwnTool(tool: unknown, at: string): JsonObject | undefined {
  if (!isObject(tool)) return undefined;
  const [key = '', ...others] = Object.keys(tool);
  const name = names.get(key);
  if (name === undefined || others.length > 0) return undefined;
  const value = tool[key];
  if (!isObject(value)) throw invalid(`${at}.${key}`, `${at}.${key} must be an object`);
  return { [name]: value };
}
