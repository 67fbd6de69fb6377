// The authority that signs the injector's certificate where somebody else keeps it, such as cert-manager: from a file, which may
// come later than this keeper.
import { readFile } from 'node:fs/promises';
import { createCertificateEnds } from '../common/certificate-ends.ts';
import { reread } from '../common/file-watcher.ts';
import type { Certificates, Shared } from './shared.ts';

export async function openCaFile(
  { settings: { caFile = '' }, log, lifecycle }: Shared,
  onChange: () => void,
): Promise<Certificates> {
  const read = () => readFile(caFile, 'utf8').catch(() => '');
  const what = 'the webhooks’ authority';
  const source = reread(await read(), { read, file: caFile, what }, { log });
  lifecycle.onClose(what, () => source.close());
  source.onChange(onChange);
  const bundle = () => (source.current.trim() === '' ? undefined : source.current);
  const ends = createCertificateEnds();
  ends.authorities('webhook_authorities', bundle);
  return { bundle, ends: () => ends.read(), wake: () => {} };
}
