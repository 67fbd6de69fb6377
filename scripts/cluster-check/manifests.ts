// Applies the manifests as an operator does: a custom kustomization with images on top of an overlay, by server-side
// apply with strict validation. Kinds of cert-manager are left out, because it is not installed.
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { renderFolder } from '../render.ts';
import type { Control } from './control.ts';

const deploy = join(import.meta.dirname, '../../deploy');

/** Image names as an operator would set them; nothing pulls them here. */
export const images = {
  proxy: 'images.example/model-gateway/proxy:9.9.9',
  controlPlane: 'images.example/model-gateway/control-plane:9.9.9',
} as const;

export interface Installation {
  /** Folder of deploy/, such as overlays/sidecar. */
  readonly overlay: string;
  readonly components?: readonly string[];
  /** Default: the images above; false: the placeholders stay. */
  readonly withImages?: boolean;
}

/** The keeper is the authority, because cert-manager is not installed. */
export const keeperOverlay = 'overlays/sidecar-plain-certificates';

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The rendered objects of an installation. */
export function objectsOf({ overlay, components = [], withImages = true }: Installation): readonly KubernetesObject[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gateway-installation-'));
  try {
    const at = (path: string) => relative(folder, join(deploy, path));
    const named = (name: string, image: string) => {
      const [newName = '', newTag = ''] = image.split(/:(?=[^/]*$)/);
      return { name: `registry.invalid/model-gateway/${name}`, newName, newTag };
    };
    const kustomization = {
      resources: [at(overlay)],
      components: components.map(at),
      images: withImages ? [named('proxy', images.proxy), named('control-plane', images.controlPlane)] : [],
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return parsed(renderFolder(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function webhookObjects(): readonly KubernetesObject[] {
  return objectsOf({ overlay: keeperOverlay }).filter(({ kind }) => kind === 'MutatingWebhookConfiguration');
}

/** A copy of deploy/tenant-plain-certificates for another namespace, as docs/kubernetes.md describes. */
export function tenantObjects(namespace: string): readonly KubernetesObject[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gateway-tenant-'));
  try {
    const from = join(deploy, 'tenant-plain-certificates');
    copyFileSync(join(from, 'certificate.yaml'), join(folder, 'certificate.yaml'));
    const text = stringify({
      resources: [relative(folder, join(deploy, 'tenant')), 'certificate.yaml'],
      namespace,
    });
    writeFileSync(join(folder, 'kustomization.yaml'), text);
    return parsed(renderFolder(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parsed(text: string): readonly KubernetesObject[] {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
  return objects.filter(({ apiVersion }) => !/cert-manager|monitoring\.coreos/.test(apiVersion));
}

/** @returns kubectl's output without the messages of success */
export function apply(
  control: Control,
  objects: readonly KubernetesObject[],
  args: readonly string[] = [],
): readonly string[] {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const { ok, output } = control.tryKubectl(['apply', '--server-side', '--validate=strict', ...args, '-f', '-'], text);
  const words = output
    .split('\n')
    .filter((line) => line !== '' && !/ serverside-applied( \(server dry run\))?$/.test(line));
  if (!ok) throw new Error(`could not be applied: ${words.join('\n')}`);
  return words;
}

/** Applies the whole gateway over the current state. */
export function applyGateway(control: Control, installation: Partial<Installation> = {}): void {
  apply(control, objectsOf({ overlay: keeperOverlay, ...installation }), ['--force-conflicts']);
}
