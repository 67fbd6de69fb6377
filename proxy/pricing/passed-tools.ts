// What tools that the vendor runs may cost. Chat completions, in whose form requests are priced, cannot say them: only a
// vendor of the client's own format gets them.
import { type OwnTool, permits, rightsOf } from '../formats/own-tools.ts';
import { nativeTargets, type ToolCall } from './native-targets.ts';

/** The tools that one of the targets gets, if the organization's settings let them pass. */
export function passedTools(call: ToolCall): readonly OwnTool[] {
  const { client } = call.request;
  if (client?.translation.ownTools === undefined) return [];
  const native = nativeTargets(call);
  if (native.length === 0) return [];
  const tools = client.translation.ownTools(client.body);
  return tools.filter((tool) => native.some((target) => permits(rightsOf(target), tool)));
}
