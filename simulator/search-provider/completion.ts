// The simulated model's completion. The same request gets the same completion; its text states that it is simulated.
import type { Behaviour } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { sampleOf } from '../sample.ts';
import { beforeStop, type Speech, speechOf, spoken, withinTokens } from '../speech.ts';
import { estimateTokens, firstTokens } from '../tokens.ts';
import type { Level } from './models.ts';
import { invalidArgument } from './refusal.ts';
import type { GenerateRequest } from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { declarationsOf, type FunctionDeclaration, hasBuiltIn } from './tools.ts';

export interface Call {
  readonly name: string;
  readonly args: Json;
}

export interface Completion {
  /** The thinking that the response shows; empty for most models. */
  readonly thought: string;
  /** The text as the events of a stream carry it. */
  readonly deltas: readonly string[];
  readonly calls: readonly Call[];
  readonly finishReason: string;
  /** Whether the vendor withholds the text: the candidate has no content. */
  readonly withheld: boolean;
  readonly tokens: {
    readonly thoughts: number;
    /** Tokens of text and calls. */
    readonly textTokens: number;
    /** Tokens of the results of the vendor's own tools, which count as part of the prompt. */
    readonly toolUse: number;
  };
}

/**
 * @param echo the received request as text, for a behaviour with `echo`
 * @throws Refusal where the arguments of a scripted call are not a JSON object
 */
export function complete(request: GenerateRequest, behaviour: Behaviour, echo: () => string): Completion {
  const { config, model } = request;
  const limit = config.maxOutputTokens ?? model.outputTokensMax;
  const thinking = thinkingOf(request, behaviour);
  const thoughts = Math.min(thinking.tokens, limit);
  const calls = behaviour.toolCalls?.map(scriptedCall) ?? requestedCalls(request);
  const withheld = isWithheld(behaviour);
  const whole = speech(request, behaviour, { echo, silent: withheld || calls.length > 0 });
  const limited = withinTokens(whole, limit - thoughts);
  const { deltas, tokens, stop } = beforeStop(limited, config.stopSequences ?? []);
  return {
    thought: firstTokens(thinking.shown, thoughts),
    deltas,
    calls,
    finishReason: behaviour.finishReason ?? (limited.cut && stop === undefined ? 'MAX_TOKENS' : 'STOP'),
    withheld,
    tokens: {
      thoughts,
      textTokens: tokens + calls.reduce((sum, call) => sum + callTokens(call), 0),
      toolUse: hasBuiltIn(request.body) ? toolUseTokens : 0,
    },
  };
}

const toolUseTokens = 32;

function callTokens({ name, args }: Call): number {
  return estimateTokens(name + JSON.stringify(args)) + 4;
}

/** Every reason except STOP and MAX_TOKENS withholds the content, unless a test scripts it. */
function isWithheld({ finishReason = 'STOP', text, tokens, toolCalls, echo }: Behaviour): boolean {
  const scripted = text !== undefined || tokens !== undefined || toolCalls !== undefined || echo === true;
  return !scripted && finishReason !== 'STOP' && finishReason !== 'MAX_TOKENS';
}

function speech(
  request: GenerateRequest,
  behaviour: Behaviour,
  { echo, silent }: { readonly echo: () => string; readonly silent: boolean },
): Speech {
  const scripted = behaviour.echo ? echo() : behaviour.text;
  if (silent && scripted === undefined && behaviour.tokens === undefined) return spoken('');
  return speechOf(behaviour, () => scripted ?? ownText(request));
}

function ownText({ config, model, contents }: GenerateRequest): string {
  const { responseMimeType = 'text/plain', responseSchema, responseJsonSchema } = config;
  const schema = responseSchema === undefined ? responseJsonSchema : jsonSchemaOf(responseSchema);
  if (responseMimeType === 'text/x.enum') return String(sampleOf(schema));
  if (responseMimeType === 'application/json') {
    return JSON.stringify(schema === undefined ? { simulated: true, model: model.name } : sampleOf(schema));
  }
  const count = contents.length === 1 ? 'one turn' : `${contents.length} turns`;
  return `This is a simulated output from the gateway's simulator. No model was called: ${model.name} would have received your ${count} here.`;
}

const ownThought = 'A simulated thought: no model weighs anything here.';

const tokensOfLevel: Readonly<Record<Level, number>> = { MINIMAL: 0, LOW: 16, MEDIUM: 64, HIGH: 256 };

interface Thinking {
  readonly shown: string;
  readonly tokens: number;
}

function thinkingOf({ config, model }: GenerateRequest, behaviour: Behaviour): Thinking {
  const { includeThoughts = false, thinkingBudget: budget, thinkingLevel } = config.thinkingConfig ?? {};
  const { thinking } = model;
  const off = thinking.by === 'nothing' || budget === 0 || (thinking.by === 'budget' && !thinking.always && !budget);
  if (off) return { shown: '', tokens: 0 };
  const level = thinking.by === 'level' ? thinking.usual : 'MEDIUM';
  const wanted = thinkingLevel === undefined || thinkingLevel === 'THINKING_LEVEL_UNSPECIFIED' ? level : thinkingLevel;
  const estimated = budget === undefined || budget < 0 ? tokensOfLevel[wanted] : Math.min(budget, tokensOfLevel.MEDIUM);
  const tokens = behaviour.reasoning === undefined ? estimated : estimateTokens(behaviour.reasoning);
  return { shown: includeThoughts ? (behaviour.reasoning ?? ownThought) : '', tokens };
}

function scriptedCall({ name, arguments: text }: { readonly name: string; readonly arguments: string }): Call {
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch {
    // The check below refuses it, like JSON that is not an object.
  }
  if (!isObject(args)) throw invalidArgument(`simulate.toolCalls: the arguments of ${name} are no JSON object`);
  return { name, args };
}

/** Makes only the calls that the request demands. With AUTO a model may respond with text, and this one does. */
function requestedCalls({ body }: GenerateRequest): readonly Call[] {
  const { mode, allowedFunctionNames: allowed = [] } = body.toolConfig?.functionCallingConfig ?? {};
  if (mode !== 'ANY') return [];
  const declared = declarationsOf(body);
  // A request cannot explicitly demand several calls; several allowed names are the closest to it.
  const wanted = declared.filter(({ name = '' }) => allowed.includes(name));
  return (allowed.length > 0 ? wanted : declared.slice(0, 1)).map(sampleCall);
}

function sampleCall({ name = '', parameters, parametersJsonSchema }: FunctionDeclaration): Call {
  const schema = parameters === undefined ? parametersJsonSchema : jsonSchemaOf(parameters);
  const sample = sampleOf(schema ?? {});
  return { name, args: isObject(sample) ? sample : {} };
}
