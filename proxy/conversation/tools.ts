// The tools of a request and the choice among them.
import type { JsonObject } from '../../common/json.ts';
import type { CacheMark } from './parts.ts';

export interface Tools {
  readonly definitions: readonly ToolDefinition[];
  readonly choice: ToolChoice;
  /** False: at most one call at a time. Undefined: the vendor's default. */
  readonly parallel: boolean | undefined;
  /** The request used the deprecated `functions`: the response must too. */
  readonly asFunctions: boolean;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON Schema; undefined for a tool without parameters. */
  readonly parameters: JsonObject | undefined;
  readonly strict: boolean | undefined;
  /** Extension `cache_control`: the prompt up to here is to be cached. */
  readonly cache: CacheMark | undefined;
}

export type ToolChoice =
  /** The request makes no choice. */
  | { readonly kind: 'default' }
  | { readonly kind: 'auto' | 'none' | 'required' }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'allowed'; readonly mode: 'auto' | 'required'; readonly names: readonly string[] };
