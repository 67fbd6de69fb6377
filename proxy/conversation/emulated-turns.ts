// What a model has no place for, moved to a place that it has: system messages in the middle as notes in the user's turn where they
// were, media of tool results and images of the assistant's in the user's turn that follows. What is before stays unchanged, so
// that a cached prompt still fits. Everything is a pure function of the conversation: the same turns always become the same.
import type {
  AssistantTurn,
  Conversation,
  MadeImage,
  SystemTurn,
  ToolResult,
  ToolTurn,
  Turn,
} from './conversation.ts';
import { mediaOfAssistant, mediaOfTool, pointerTo } from './moved-media.ts';
import type { Part, TextPart } from './parts.ts';

export interface TurnAbilities {
  /** System messages behind the first turn have a place of their own. */
  readonly systemInPlace: boolean;
  /** Whether a tool result may hold the part; texts always. */
  inResult(part: Part): boolean;
  /** The assistant's turns take back the images that the model made. */
  readonly madeImages: boolean;
}

export interface EmulatedTurns {
  readonly conversation: Conversation;
  /** Fields that the vendor gets by other means, for `x-svc-emulated-params`. */
  readonly emulated: readonly string[];
}

export function emulateTurns(conversation: Conversation, abilities: TurnAbilities): EmulatedTurns {
  const needs = conversation.turns.some((turn) => isForeign(turn, abilities));
  if (!needs) return { conversation, emulated: [] };
  const writer = new TurnWriter(abilities);
  for (const turn of conversation.turns) writer.add(turn);
  return { conversation: { ...conversation, turns: writer.turns() }, emulated: [...writer.emulated] };
}

function isForeign(turn: Turn, abilities: TurnAbilities): boolean {
  switch (turn.role) {
    case 'user':
      return false;
    case 'system':
      return !abilities.systemInPlace;
    case 'assistant':
      return turn.images.length > 0 && !abilities.madeImages;
    case 'tool':
      return turn.results.some(({ parts }) => parts.some((part) => !fits(part, abilities)));
  }
}

function fits(part: Part, { inResult }: TurnAbilities): boolean {
  return part.kind === 'text' || inResult(part);
}

class TurnWriter {
  readonly emulated = new Set<string>();
  readonly #abilities: TurnAbilities;
  readonly #turns: Turn[] = [];
  /** Of the user's turn that is last: what follows in it is added here, not copied together anew. */
  #userParts: Part[] = [];
  /** Images that the assistant made, for the user's turn that follows. */
  #waiting: Part[] = [];

  constructor(abilities: TurnAbilities) {
    this.#abilities = abilities;
  }

  add(turn: Turn): void {
    switch (turn.role) {
      case 'user':
        this.#say(turn.parts);
        return;
      case 'system':
        this.#addSystem(turn);
        return;
      case 'assistant':
        this.#addAssistant(turn);
        return;
      case 'tool':
        this.#addResults(turn);
        return;
    }
  }

  turns(): readonly Turn[] {
    if (this.#waiting.length > 0) this.#say([]);
    return this.#turns;
  }

  #say(parts: readonly Part[]): void {
    if (this.#turns.at(-1)?.role !== 'user') {
      this.#userParts = [];
      this.#turns.push({ role: 'user', parts: this.#userParts });
    }
    for (const part of this.#waiting) this.#userParts.push(part);
    for (const part of parts) this.#userParts.push(part);
    this.#waiting = [];
  }

  #addSystem(turn: SystemTurn): void {
    if (this.#abilities.systemInPlace) this.#turns.push(turn);
    else {
      this.emulated.add('messages.role');
      this.#say(turn.parts.flatMap(asNote));
    }
  }

  /** Images wait behind the results of the turn's calls, which have to follow it. */
  #addAssistant(turn: AssistantTurn): void {
    if (this.#waiting.length > 0) this.#say([]);
    if (turn.images.length === 0 || this.#abilities.madeImages) {
      this.#turns.push(turn);
      return;
    }
    this.emulated.add('messages.images');
    this.#turns.push(withoutImages(turn));
    this.#waiting = [text(mediaOfAssistant), ...turn.images.map(({ image }: MadeImage) => image)];
  }

  #addResults({ results }: ToolTurn): void {
    const kept: ToolResult[] = [];
    const moved: Part[] = [];
    for (const result of results) {
      const media = result.parts.filter((part) => !fits(part, this.#abilities));
      if (media.length > 0) moved.push(text(mediaOfTool(result.call.name)));
      for (const medium of media) moved.push(medium);
      kept.push(
        media.length === 0 ? result : { ...result, parts: withPointers(result.parts, this.#abilities) },
      );
    }
    this.#turns.push({ role: 'tool', results: kept });
    if (moved.length === 0) return;
    this.emulated.add('messages.content');
    this.#say(moved);
  }
}

function withoutImages(turn: AssistantTurn): AssistantTurn {
  return {
    ...turn,
    images: [],
    // A message of images alone was a message all the same.
    parts: turn.parts.some(({ text }) => text.trim() !== '') ? turn.parts : [text('[The image follows.]')],
  };
}

/** Where the media stood, what says where they are now. */
function withPointers(parts: readonly Part[], abilities: TurnAbilities): Part[] {
  return parts.map((part) => (fits(part, abilities) ? part : text(pointerTo(part.kind))));
}

function text(value: string): TextPart {
  return { kind: 'text', text: value, cache: undefined };
}

/** Marked off, so that the model can tell it from the user's texts, and no text of the two reads as one. */
function asNote({ text, cache }: TextPart): TextPart[] {
  if (text.trim() === '') return [];
  return [{ kind: 'text', text: `<system_message>\n${text}\n</system_message>`, cache }];
}
