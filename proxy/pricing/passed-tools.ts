// What a client's tools that the vendor runs may cost. Chat completions, in whose form requests are priced, cannot say
// them: only a vendor of the client's own format gets them, if the organization's settings let them pass.
import type { ChatCall } from '../call.ts';
import { type OwnTool, permits, rightsOf } from '../formats/own-tools.ts';
import { nativeFormat } from '../providers/provider.ts';

export type ToolCall = Pick<ChatCall, 'request'> & Partial<Pick<ChatCall, 'targets' | 'model'>>;

/** The tools that one of the targets gets. */
export function passedTools({ request, targets = [], model = '' }: ToolCall): readonly OwnTool[] {
  const { client } = request;
  if (client?.translation.ownTools === undefined || targets.length === 0) return [];
  const native = targets.filter((target) => nativeFormat({ request, target, model }) !== undefined);
  if (native.length === 0) return [];
  const tools = client.translation.ownTools(client.body);
  return tools.filter((tool) => native.some((target) => permits(rightsOf(target), tool)));
}
