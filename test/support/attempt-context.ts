// The request on whose behalf a test makes an attempt: it waits for nothing and accounts for nothing.
import type { AttemptContext } from '../../proxy/upstream/attempt-context.ts';
import { someOwner } from './transports.ts';

export const idleContext: AttemptContext = {
  owner: someOwner,
  attemptStarted: () => undefined,
  attemptFailed: () => undefined,
  aborted: undefined,
  buffer: () => undefined,
  progress: () => undefined,
};
