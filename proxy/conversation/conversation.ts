// A request's messages as the writers of formats read them: opening system texts apart, turns with typed parts, every
// tool result tied to its call.
import type { JsonText } from '../../common/exact-json.ts';
import type { JsonObject } from '../../common/json.ts';
import type { CacheMark, ImagePart, Part, TextPart } from './parts.ts';

export interface Conversation {
  /** Texts of the system and developer messages at the beginning, in order. */
  readonly system: readonly TextPart[];
  /** Neighbouring turns of one role are merged. */
  readonly turns: readonly Turn[];
  /** A cache mark had no part that could carry it. */
  readonly lostMarks: boolean;
}

export type Turn = UserTurn | AssistantTurn | ToolTurn | SystemTurn;

export interface UserTurn {
  readonly role: 'user';
  readonly parts: readonly Part[];
}

/** System and developer messages after the first message of another role. Never between a call and its result. */
export interface SystemTurn {
  readonly role: 'system';
  readonly parts: readonly TextPart[];
}

export interface AssistantTurn extends AssistantMessage {
  readonly role: 'assistant';
  /** The messages that were merged into this turn. */
  readonly messages: readonly AssistantMessage[];
}

export interface AssistantMessage {
  readonly parts: readonly TextPart[];
  /** Images that the model made: parts of the content, or the extension `images`. */
  readonly images: readonly MadeImage[];
  readonly calls: readonly ToolCall[];
  /** Extension `thinking_blocks`, as the gateway sent them; opaque to every vendor but the one they came from. */
  readonly thinking: readonly JsonObject[];
  /**
   * Extension `content_blocks` of a response that paused, as the gateway sent them: see
   * formats/messages/paused-turn.ts.
   */
  readonly blocks: readonly JsonObject[];
  /** The signature that the vendor sent with the text and requires back: `extra_content.google.thought_signature`. */
  readonly signature: string | undefined;
}

export interface MadeImage {
  readonly image: ImagePart;
  readonly signature: string | undefined;
}

/** The results of the calls of the previous assistant turn: one for each call, in their order. */
export interface ToolTurn {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export interface ToolCall {
  /** Without a signature that was appended to it. Not necessarily unique in a conversation. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: JsonText;
  /** The signature that the vendor sent with the call and requires back; it was appended to the call's id. */
  readonly signature: string | undefined;
  /** The same signature, if it came in `extra_content.google.thought_signature`. */
  readonly ownSignature: string | undefined;
  readonly cache: CacheMark | undefined;
}

export interface ToolResult {
  readonly call: ToolCall;
  readonly parts: readonly Part[];
  /** The mark of the whole result: no vendor ends a cached prefix inside a result. */
  readonly cache: CacheMark | undefined;
}
