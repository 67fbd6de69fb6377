// What a client's own fields may cost: tools that the vendor runs, and faster or regional processing. Chat completions,
// in whose form requests are priced, cannot say them: only a vendor of the client's own format gets them.
import type { ChatCall } from '../call.ts';
import type { DearField } from '../formats/client-format.ts';
import { type OwnTool, permits, rightsOf } from '../formats/own-tools.ts';
import { nativeFormat, type Target } from '../providers/provider.ts';

export type ToolCall = Pick<ChatCall, 'request'> & Partial<Pick<ChatCall, 'targets' | 'model'>>;

/** The tools that one of the targets gets, if the organization's settings let them pass. */
export function passedTools(call: ToolCall): readonly OwnTool[] {
  const { client } = call.request;
  if (client?.translation.ownTools === undefined) return [];
  const native = nativeTargets(call);
  if (native.length === 0) return [];
  const tools = client.translation.ownTools(client.body);
  return tools.filter((tool) => native.some((target) => permits(rightsOf(target), tool)));
}

/** The fields with prices of their own that one of the targets gets. */
export function passedDearFields(call: ToolCall): readonly DearField[] {
  const { client } = call.request;
  const dear = client?.translation.dearFields(client.body) ?? [];
  return dear.length === 0 || nativeTargets(call).length === 0 ? [] : dear;
}

function nativeTargets({ request, targets = [], model = '' }: ToolCall): readonly Target[] {
  return targets.filter((target) => nativeFormat({ request, target, model }) !== undefined);
}
