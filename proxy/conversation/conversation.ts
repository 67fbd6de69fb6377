// A request's messages as the writers of formats take them: opening system texts apart, turns with typed parts, every tool result
// tied to its call.
import type { JsonText } from '../../common/exact-json.ts';
import type { JsonObject } from '../../common/json.ts';
import type { CacheMark, ImagePart, Part, TextPart } from './parts.ts';

export interface Conversation {
  /** Of the system and developer messages that everything begins with, in order. */
  readonly system: readonly TextPart[];
  /** Neighbours of one role are merged. */
  readonly turns: readonly Turn[];
  /** Somebody marked for the cache what holds nothing that could be marked. */
  readonly lostMarks: boolean;
}

export type Turn = UserTurn | AssistantTurn | ToolTurn | SystemTurn;

export interface UserTurn {
  readonly role: 'user';
  readonly parts: readonly Part[];
}

/** System and developer messages behind the first of another role. Never between a call and its result. */
export interface SystemTurn {
  readonly role: 'system';
  readonly parts: readonly TextPart[];
}

export interface AssistantTurn extends AssistantMessage {
  readonly role: 'assistant';
  /** The messages that it was merged from. */
  readonly messages: readonly AssistantMessage[];
}

export interface AssistantMessage {
  readonly parts: readonly TextPart[];
  /** Those that the model made: parts of the content, or the extension `images`. */
  readonly images: readonly MadeImage[];
  readonly calls: readonly ToolCall[];
  /** Extension `thinking_blocks`: as the gateway sent them; opaque to all but the vendor they came from. */
  readonly thinking: readonly JsonObject[];
  /** Extension `content_blocks` of a response that paused: as the gateway sent them, see formats/messages/paused-turn.ts. */
  readonly blocks: readonly JsonObject[];
  /** What the vendor gave with the words and wants back with them: `extra_content.google.thought_signature`. */
  readonly signature: string | undefined;
}

export interface MadeImage {
  readonly image: ImagePart;
  readonly signature: string | undefined;
}

/** The results of the calls of the assistant turn before it: one for each, in their order. */
export interface ToolTurn {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export interface ToolCall {
  /** Without a signature that rode on it. Not necessarily unique in a conversation. */
  readonly id: string;
  readonly name: string;
  /** As its model wrote them. */
  readonly arguments: JsonText;
  /** What the vendor gave with the call and wants back with it; it rode on the call's id. */
  readonly signature: string | undefined;
  /** The same, where it came in `extra_content.google.thought_signature`. */
  readonly ownSignature: string | undefined;
  readonly cache: CacheMark | undefined;
}

export interface ToolResult {
  readonly call: ToolCall;
  readonly parts: readonly Part[];
  /** Of the whole result: no vendor ends what is cached inside of one. */
  readonly cache: CacheMark | undefined;
}
