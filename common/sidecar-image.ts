// The image of sidecars that an installation configures, and the placeholder in the manifests. The placeholder cannot
// be pulled; it is refused by name, before a pod waits for it.
import type { Decoder } from './settings.ts';

/** A domain that never exists (RFC 2606). */
const placeholderRegistry = 'registry.invalid/';

export function isPlaceholderImage(image: string): boolean {
  return image.startsWith(placeholderRegistry);
}

/** Message for the operator who has to fix it. */
export function placeholderProblem(image: string): string {
  return `the sidecar’s image is the placeholder ${image}: name your own for it under "images" of your kustomization (docs/kubernetes.md)`;
}

/** @throws Error if the value is not an image with a tag or digest, or is the placeholder */
export const sidecarImage: Decoder<string> = (value) => {
  if (isPlaceholderImage(value)) throw new Error(placeholderProblem(value));
  if (/^[^\s@]+(:[\w.-]+|@sha256:[0-9a-f]{64})$/.test(value)) return value;
  throw new Error(`must be an image with its tag or digest, such as model-gateway/proxy:0.1.0, not "${value}"`);
};
