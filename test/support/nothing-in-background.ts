// For proxies in tests without responses in the background.
import type { BackgroundResponses } from '../../proxy/http/background-responses.ts';

export const nothingInBackground: Pick<BackgroundResponses, 'admit' | 'poll' | 'pollSoon'> = {
  admit: () => undefined,
  poll: () => Promise.resolve(),
  pollSoon: () => undefined,
};
