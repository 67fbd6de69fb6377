// The image of sidecars as an installation names it, and the placeholder that the manifests have until it does: nobody can pull that
// one, and it is refused by name before a pod waits for it.
import type { Decoder } from './settings.ts';

/** A domain that never is (RFC 2606). */
const placeholderRegistry = 'registry.invalid/';

export function isPlaceholderImage(image: string): boolean {
  return image.startsWith(placeholderRegistry);
}

/** For whoever has to mend it. */
export function placeholderProblem(image: string): string {
  return `the sidecar’s image is the placeholder ${image}: name your own for it under "images" of your kustomization (docs/kubernetes.md)`;
}

/** @throws Error for what is no image with a version, or the placeholder */
export const sidecarImage: Decoder<string> = (value) => {
  if (isPlaceholderImage(value)) throw new Error(placeholderProblem(value));
  if (/^[^\s@]+(:[\w.-]+|@sha256:[0-9a-f]{64})$/.test(value)) return value;
  throw new Error(
    `must be an image with its tag or digest, such as model-gateway/proxy:0.1.0, not "${value}"`,
  );
};
