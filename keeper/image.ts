// The sidecar's image, from the container of a PodTemplate that never runs: tools that set images find it there. The
// placeholder is refused: at the start the keeper ends, later the previous image stays.
import { sidecarName } from '../common/cluster-names.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { isPlaceholderImage, placeholderProblem, sidecarImage } from '../common/sidecar-image.ts';

/** The name in the manifests. */
export const podTemplateName = 'model-gateway-sidecar';

export type ImageFound =
  | { readonly kind: 'image'; readonly image: string }
  | { readonly kind: 'placeholder'; readonly image: string; readonly problem: string }
  | { readonly kind: 'none'; readonly problem: string };

/** @param podTemplate undefined: it does not exist */
export function imageIn(podTemplate: JsonObject | undefined): ImageFound {
  const image = containerImage(podTemplate);
  if (image === undefined)
    return { kind: 'none', problem: `no PodTemplate ${podTemplateName} has a container ${sidecarName}` };
  if (isPlaceholderImage(image)) return { kind: 'placeholder', image, problem: placeholderProblem(image) };
  try {
    return { kind: 'image', image: sidecarImage(image) };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'cannot be used';
    return { kind: 'none', problem: `the image in the PodTemplate ${podTemplateName} ${why}` };
  }
}

function containerImage(podTemplate: JsonObject | undefined): string | undefined {
  const template = isObject(podTemplate?.template) ? podTemplate.template : {};
  const spec = isObject(template.spec) ? template.spec : {};
  const containers = Array.isArray(spec.containers) ? spec.containers.filter(isObject) : [];
  const image = containers.find(({ name }) => name === sidecarName)?.image;
  return typeof image === 'string' ? image : undefined;
}
