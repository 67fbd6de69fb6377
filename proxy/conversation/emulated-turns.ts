// Moves content that a model does not accept in its position. System messages in the middle become notes in the user
// turn at that position; media of tool results and images of assistant turns move to the next user turn. Everything
// before them stays unchanged, so that a cached prompt still matches. All of this is a pure function of the
// conversation: the same turns always become the same turns.
import type { AssistantTurn, Conversation, MadeImage, SystemTurn, ToolResult, ToolTurn, Turn } from './conversation.ts';
import { mediaOfAssistant, mediaOfTool, pointerTo } from './moved-media.ts';
import type { Part, TextPart } from './parts.ts';

export interface TurnAbilities {
  /** The model accepts system messages after the first turn. */
  readonly systemInPlace: boolean;
  /** Whether a tool result may contain the part; texts always may. */
  inResult(part: Part): boolean;
  /** Assistant turns may contain the images that the model made. */
  readonly madeImages: boolean;
}

export interface EmulatedTurns {
  readonly conversation: Conversation;
  /** Fields with an effect by other means, for `x-svc-emulated-params`. */
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
  /** Parts of the last user turn: later parts are appended here, without a new copy. */
  #userParts: Part[] = [];
  /** Images that the assistant made, for the next user turn. */
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

  /** Images wait until after the results of the turn's calls, which have to follow the turn directly. */
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
      kept.push(media.length === 0 ? result : { ...result, parts: withPointers(result.parts, this.#abilities) });
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
    // A message that had only images must remain a message.
    parts: turn.parts.some(({ text }) => text.trim() !== '') ? turn.parts : [text('[The image follows.]')],
  };
}

/** Replaces each moved medium by a text that points to it. */
function withPointers(parts: readonly Part[], abilities: TurnAbilities): Part[] {
  return parts.map((part) => (fits(part, abilities) ? part : text(pointerTo(part.kind))));
}

function text(value: string): TextPart {
  return { kind: 'text', text: value, cache: undefined };
}

/** Tagged, so that the model can distinguish the note from the user's texts, and no two texts merge into one. */
function asNote({ text, cache }: TextPart): TextPart[] {
  if (text.trim() === '') return [];
  return [{ kind: 'text', text: `<system_message>\n${text}\n</system_message>`, cache }];
}
