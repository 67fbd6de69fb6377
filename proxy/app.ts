// Starts the proxy in the mode of its settings. If a part does not start, the parts before it are closed again. Only
// the two compositions construct anything that lives longer than a request.
import { createLifecycle } from '../common/lifecycle.ts';
import type { ProxyOptions } from './assemble.ts';
import { inWordsOfThePod } from './port-in-use.ts';
import type { RunningProxy } from './serve.ts';
import type { ProxySettings } from './settings.ts';

export type { RunningProxy } from './serve.ts';

/** @throws Error that explains the remedy: a port in use, settings that contradict each other */
export async function startProxy(settings: ProxySettings, options: ProxyOptions): Promise<RunningProxy> {
  const { log } = options;
  const lifecycle = createLifecycle(log);
  try {
    // Each mode loads no more than it needs: a sidecar runs in every pod, and the modules that it does not load are a
    // quarter of it.
    if (settings.forwardTo !== undefined) {
      const { assembleForward } = await import('./forward/assemble.ts');
      return await assembleForward(settings, { egress: settings.forwardTo, log, lifecycle });
    }
    const { assemble } = await import('./assemble.ts');
    return await assemble(settings, options, lifecycle);
  } catch (error) {
    await lifecycle.close();
    throw await inWordsOfThePod(error, settings.podContainers);
  }
}
