// The targets of a call whose vendor gets the client's own request.
import type { ChatCall } from '../call.ts';
import { nativeFormat, type Target } from '../providers/provider.ts';

export type ToolCall = Pick<ChatCall, 'request'> & Partial<Pick<ChatCall, 'targets' | 'model'>>;

export function nativeTargets({ request, targets = [], model = '' }: ToolCall): readonly Target[] {
  return targets.filter((target) => nativeFormat({ request, target, model }) !== undefined);
}
