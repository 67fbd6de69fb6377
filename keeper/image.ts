// The sidecar's image: that of the container in the PodTemplate that nobody runs, where the tools that set images reach it as any
// other. The placeholder is refused by name: at the start this keeper ends, later the image that was handed over stays.
import { sidecarName } from '../common/cluster-names.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { isPlaceholderImage, placeholderProblem, sidecarImage } from '../common/sidecar-image.ts';

/** Name in the manifests. */
export const podTemplateName = 'model-gateway-sidecar';

export type ImageFound =
  | { readonly kind: 'image'; readonly image: string }
  | { readonly kind: 'placeholder'; readonly image: string; readonly problem: string }
  | { readonly kind: 'none'; readonly problem: string };

/** @param podTemplate undefined: there is none */
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
