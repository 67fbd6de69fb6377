// Opens the API client with its files, which change while the keeper runs: kubelets renew tokens.
import { type FileWatcher, readNamed, startFileWatcher } from '../common/file-watcher.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { version } from '../common/version.ts';
import { type ApiClient, createApiClient } from './api/client.ts';
import type { KeeperSettings } from './settings.ts';
import type { KeeperMetrics } from './telemetry/metrics.ts';

export interface ClientParts {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly metrics: KeeperMetrics;
}

/** @throws Error that names the unreadable file */
export async function openClient(
  { api: url, apiCaFile, tokenFile }: KeeperSettings,
  parts: ClientParts,
): Promise<ApiClient> {
  const { lifecycle, metrics } = parts;
  const ca = await watchFile(apiCaFile, 'the authorities of the API server', parts);
  const token = await watchFile(tokenFile, 'the keeper’s token', parts);
  const client = createApiClient({
    url,
    ca,
    userAgent: `model-gateway-keeper/${version}`,
    token: {
      get current() {
        return token.current.toString().trim();
      },
    },
    onResponse: (verb, status) => metrics.requested(verb, status),
  });
  lifecycle.onClose('API client', () => client.close());
  return client;
}

async function watchFile(file: string, what: string, { log, lifecycle }: ClientParts): Promise<FileWatcher<Buffer>> {
  const read = () => readNamed(file);
  const isSame = (one: Buffer, other: Buffer) => one.equals(other);
  const source = startFileWatcher(await read(), { read, isSame, file, what }, { log });
  lifecycle.onClose(what, () => source.close());
  return source;
}
