// Callers that connect to a listener directly.
import { trustsNobody } from '../../common/caller-address.ts';
import { Callers } from '../../common/callers.ts';

export function directCallers(): Callers {
  return new Callers({
    ...{ isTrusted: trustsNobody, proxyProtocol: false, headerTimeoutMs: 5_000 },
    onRefused: () => {},
  });
}
