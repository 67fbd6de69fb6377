// Whether a model may think in a request without all of its thoughts being in the response: then what came of the response says
// nothing of what was generated.
import { isObject } from '../../common/json.ts';
import type { ChatCall } from '../call.ts';
import { isGiven } from '../conversation/options.ts';

export type ThinkingCall = Pick<ChatCall, 'request' | 'capabilities' | 'catalogModel' | 'qualifiedModel'>;

/** Summaries are not all, and nobody says which models give more: a model that thinks is taken to do so unseen. */
export function mayThinkUnseen(call: ThinkingCall): boolean {
  const { capabilities, catalogModel, request } = call;
  const canThink =
    capabilities.reasoning !== 'none' || catalogModel?.capabilities.includes('reasoning') === true;
  if (!canThink) return false;
  const { thinking, reasoning_effort: effort } = request.body;
  if (thinksOnRequest(call)) {
    return isObject(thinking) ? thinking.type !== 'disabled' : isGiven(effort) && effort !== 'none';
  }
  return !(capabilities.reasoningOff && effort === 'none' && !isGiven(thinking));
}

/** Claude models that take a budget for their thoughts have none without one. */
function thinksOnRequest({ capabilities, qualifiedModel }: ThinkingCall): boolean {
  return capabilities.reasoning === 'budget' && qualifiedModel.includes('claude');
}
