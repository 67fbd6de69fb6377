// How a request controls thinking: the form of `thinking`, the types that a model accepts, and fields that conflict
// with it.
import { anything, integer, isObject, type Json, nullable, object } from '../checks.ts';
import { choice, union } from './fields.ts';
import type { SimulatedModel, ThinkingType } from './models.ts';
import { badRequest } from './refusal.ts';

const type = anything;
const display = { display: nullable(choice('summarized', 'omitted')) };

export const thinkingConfig = union({
  enabled: object({ type, budget_tokens: integer(1_024) }, display),
  adaptive: object({ type }, display),
  disabled: object({ type }),
  between_tools: object({ type }),
});

export interface Thinking {
  /** `manual`: within the caller's budget; `adaptive`: the model decides. */
  readonly mode: 'off' | 'manual' | 'adaptive';
  /** Whether the request sets it, or it is the model's default. */
  readonly stated: boolean;
  /** The response leaves the thinking text out. */
  readonly hidden: boolean;
}

export function thinkingOf(body: Json, model: SimulatedModel): Thinking {
  const config = isObject(body.thinking) ? body.thinking : {};
  const hidden = config.display ? config.display === 'omitted' : model.hidesThinking;
  if (config.type === 'enabled') return { mode: 'manual', stated: true, hidden };
  if (config.type === 'adaptive') return { mode: 'adaptive', stated: true, hidden };
  const off = config.type !== undefined || !model.thinksByDefault || forcesTool(body);
  return { mode: off ? 'off' : 'adaptive', stated: false, hidden };
}

/** Whether the request forces the model to call a tool. */
export function forcesTool({ tool_choice: choice }: Json): boolean {
  return isObject(choice) && (choice.type === 'any' || choice.type === 'tool');
}

/** @throws Refusal */
export function checkThinking(body: Json, model: SimulatedModel, betas: ReadonlySet<string>): void {
  const request = isObject(body.thinking) ? (body.thinking.type as ThinkingType) : undefined;
  if (request === undefined) return;
  if (!model.thinking.includes(request)) throw badRequest(refusedType(request, model));
  const effort = isObject(body.output_config) ? String(body.output_config.effort) : '';
  const turnsOff = request === 'disabled' || request === 'between_tools';
  // Models that think by default cannot turn thinking off at high efforts.
  if (turnsOff && model.thinksByDefault && (effort === 'xhigh' || effort === 'max')) {
    throw badRequest(
      `"thinking.type.${request}" is not supported with "output_config.effort" "${effort}" for this model.`,
    );
  }
  if (turnsOff) return;
  const budget = (body.thinking as Json).budget_tokens;
  // With interleaved thinking the budget covers all thinking between tool calls, so it may exceed `max_tokens`.
  const interleaved = betas.has(interleavedThinking);
  if (request === 'enabled' && !interleaved && typeof body.max_tokens === 'number') {
    if (Number(budget) >= body.max_tokens) {
      throw badRequest('`max_tokens` must be greater than `thinking.budget_tokens`.');
    }
  }
  if (forcesTool(body)) {
    throw badRequest('Thinking may not be enabled when tool_choice forces tool use.');
  }
  checkSampling(body);
}

export const interleavedThinking = 'interleaved-thinking-2025-05-14';

function checkSampling({ temperature, top_p, top_k }: Json): void {
  if (temperature !== undefined && temperature !== 1) {
    throw badRequest('`temperature` may only be set to 1 when thinking is enabled.');
  }
  if (typeof top_p === 'number' && top_p < 0.95) {
    throw badRequest('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
  if (top_k !== undefined) throw badRequest('`top_k` must be unset when thinking is enabled.');
}

const useAdaptive = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

function refusedType(request: ThinkingType, { id, thinking }: SimulatedModel): string {
  if (!thinking.includes('enabled') && !thinking.includes('adaptive')) {
    return `'${id}' does not support thinking.`;
  }
  if (request === 'adaptive') return 'adaptive thinking is not supported on this model';
  const unsupported = `"thinking.type.${request}" is not supported for this model.`;
  if (request === 'between_tools') return unsupported;
  if (request === 'disabled' && thinking.includes('between_tools')) {
    return `${unsupported} Use "thinking.type.between_tools" for the lowest thinking setting, or "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;
  }
  return `${unsupported} ${useAdaptive}`;
}
