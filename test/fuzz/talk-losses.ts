// What is left of a random conversation after the losses that the gateway has named.
import { isObject } from '../../common/json.ts';
import { mediaOfAssistant, mediaOfTool, pointerTo } from '../../proxy/conversation/moved-media.ts';
import type { Talk, TalkOptions, TalkPart, TalkResult, TalkTool, TalkTurn } from './random-talks.ts';
import { isText } from './talk-forms.ts';
import { addTurn } from './talk-turns.ts';

/** What the gateway reported of a translation, under the names in chat completions. */
export interface ReportedLosses {
  isDropped(field: string): boolean;
  isEmulated(field: string): boolean;
}

/** What the other format must contain. @param actual decides where a loss leaves several possibilities */
export function afterLosses(talk: Talk, losses: ReportedLosses, actual: Talk): Talk {
  const left = inCallOrder(talk.turns).flatMap((turn) => turnsAfter(turn, losses, actual));
  const hasMade = actual.turns.some((turn) => turn.role === 'assistant' && turn.images.length > 0);
  const turns = losses.isEmulated('messages.images') && !hasMade ? withImagesAfter(left) : left;
  const merged: TalkTurn[] = [];
  for (const turn of turns) addTurn(merged, turn);
  return {
    ...talk,
    turns: merged,
    tools: toolsAfter(talk, losses, actual),
    options: optionsAfter(talk, losses, actual),
  };
}

/** Results in the order of their calls, which images that are moved out of them have too. */
function inCallOrder(turns: readonly TalkTurn[]): readonly TalkTurn[] {
  let ids: readonly string[] = [];
  return turns.map((turn) => {
    if (turn.role === 'assistant') ids = turn.calls.map(({ id }) => id);
    if (turn.role !== 'tool') return turn;
    return { ...turn, results: turn.results.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)) };
  });
}

function turnsAfter(turn: TalkTurn, losses: ReportedLosses, actual: Talk): readonly TalkTurn[] {
  switch (turn.role) {
    case 'user': {
      const isNamed = !losses.isDropped('messages.file.filename');
      const isCached = !cacheMarks.some((field) => losses.isDropped(field));
      const parts = turn.parts.map((part) => (part.kind === 'pdf' && !isNamed ? { ...part, name: '' } : part));
      return [{ ...turn, parts, isMarked: turn.isMarked && isCached }];
    }
    case 'system':
      return losses.isEmulated('messages.role')
        ? [{ role: 'user', parts: turn.texts.filter(isText).map(asNote), isMarked: false }]
        : [turn];
    case 'assistant':
      return [losses.isDropped('messages.thinking_blocks') ? { ...turn, thoughts: [] } : turn];
    case 'tool':
      return losses.isEmulated('messages.content') && !hasResultImages(actual)
        ? movedImages(turn.results, actual)
        : [turn];
  }
}

/** Two losses may have one name in the client's format. */
function hasResultImages({ turns }: Talk): boolean {
  return turns.some((turn) => turn.role === 'tool' && turn.results.some(({ images }) => images.length > 0));
}

const cacheMarks = ['messages.cache_control', 'messages.prompt_cache_breakpoint'];

function userTurn(parts: readonly TalkPart[]): TalkTurn {
  return { role: 'user', parts, isMarked: false };
}

function asNote(text: string): TalkPart {
  return { kind: 'text', text: `<system_message>\n${text}\n</system_message>` };
}

/** Images of the model are the user’s, after the results of the same turn’s calls. */
function withImagesAfter(turns: readonly TalkTurn[]): readonly TalkTurn[] {
  const moved: TalkTurn[] = [];
  let waiting: readonly string[] = [];
  const flush = () => {
    const parts = waiting.map((data) => ({ kind: 'image', data }) as const);
    if (parts.length > 0) moved.push(userTurn([{ kind: 'text', text: mediaOfAssistant }, ...parts]));
    waiting = [];
  };
  for (const turn of turns) {
    if (turn.role !== 'tool') flush();
    moved.push(turn.role === 'assistant' ? { ...turn, images: [] } : turn);
    if (turn.role === 'assistant') waiting = turn.images;
  }
  flush();
  return moved;
}

/** Formats of chat completions name no tool before its images. */
function movedImages(results: readonly TalkResult[], actual: Talk): readonly TalkTurn[] {
  const isNamed = (name: string) => JSON.stringify(actual.turns).includes(JSON.stringify(mediaOfTool(name)));
  const parts = results.flatMap(({ name, images }): readonly TalkPart[] => {
    if (images.length === 0) return [];
    const text = isNamed(name) ? mediaOfTool(name) : mediaOfTool();
    return [{ kind: 'text', text }, ...images.map((data) => ({ kind: 'image', data }) as const)];
  });
  const texts = results.map((result) => ({
    ...result,
    ...{ text: result.text + result.images.map(() => pointerTo('image')).join(''), images: [] },
  }));
  return [{ role: 'tool', results: texts }, ...(parts.length === 0 ? [] : [userTurn(parts)])];
}

function toolsAfter({ tools, options }: Talk, losses: ReportedLosses, actual: Talk): readonly TalkTool[] {
  // Tools that may not be called need not be offered.
  if (options.choice === 'none' && actual.tools.length === 0) return [];
  const chosen = isObject(options.choice) ? options.choice.name : undefined;
  const isAlone = actual.tools.length === 1 && actual.tools[0]?.name === chosen;
  const offered = isAlone ? tools.filter(({ name }) => name === chosen) : tools;
  const isLost = losses.isEmulated('tools.parameters') || losses.isDropped('tools.parameters');
  return offered.map((tool, index) => {
    const other = actual.tools[index] ?? tool;
    const isStrict = losses.isDropped('tools.strict') ? other.isStrict : tool.isStrict;
    return { ...tool, isStrict, ...(isLost && { parameters: other.parameters }) };
  });
}

/** Names in chat completions. */
const optionNames: Readonly<Record<keyof TalkOptions, readonly string[]>> = {
  maxTokens: ['max_completion_tokens', 'max_tokens'],
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  stop: ['stop'],
  effort: ['reasoning_effort', 'thinking'],
  schema: ['response_format.schema'],
  isJson: ['response_format'],
  choice: ['tool_choice'],
  isSerial: ['parallel_tool_calls'],
};

function optionsAfter({ options, tools }: Talk, losses: ReportedLosses, actual: Talk): TalkOptions {
  const names = Object.keys(options) as (keyof TalkOptions)[];
  const lost = names.filter((name) =>
    optionNames[name].some((field) => losses.isDropped(field) || losses.isEmulated(field)),
  );
  // The gateway chooses a limit where a vendor needs one, and nothing is called without tools.
  const free = options.maxTokens === undefined ? (['maxTokens'] as const) : [];
  const idle =
    options.choice === 'none' && tools.length > 0 && actual.tools.length === 0 ? (['choice', 'isSerial'] as const) : [];
  const fields = [...lost, ...free, ...idle].map((name) => [name, actual.options[name]] as const);
  return { ...options, ...(Object.fromEntries(fields) as Partial<TalkOptions>) };
}
