// Plans the change of the webhook configuration: pure, from the current object to the operations of a patch, or to its
// deletion.
import { isObject, type JsonObject } from '../common/json.ts';
import { isLasting, metadataOf, textIn, versionOf } from './api/sources.ts';

/** The objects on which it depends; undefined: not known yet. */
export interface Surroundings {
  /** PEM of the authorities that the API server must trust. */
  readonly bundle: string | undefined;
  readonly namespace: JsonObject | undefined;
  readonly deployment: 'unknown' | 'there' | 'going';
  /** The Service that the webhooks call. */
  readonly service: { readonly name: string; readonly namespace: string };
}

export type Part = 'ca_bundle' | 'owner';

export type WebhookPlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'delete'; readonly uid: string; readonly why: string }
  | {
      readonly kind: 'patch';
      readonly operations: readonly Operation[];
      readonly parts: readonly Part[];
      /** A webhook has no authority, so the API server refuses every pod for which it calls the webhook. */
      readonly isUrgent: boolean;
    };

/** Of JSON Patch (RFC 6902). */
export interface Operation {
  readonly op: 'test' | 'add';
  readonly path: string;
  readonly value: unknown;
}

export function planWebhook(configuration: JsonObject, surroundings: Surroundings): WebhookPlan {
  const uid = textIn(metadataOf(configuration).uid);
  const why = whyDelete(surroundings);
  if (why !== undefined && uid !== undefined && isLasting(configuration)) return { kind: 'delete', uid, why };
  if (why !== undefined) return { kind: 'nothing' };
  const bundles = bundleOperations(configuration, surroundings);
  const owner = ownerOperation(configuration, surroundings.namespace);
  if (bundles.operations.length === 0 && owner === undefined) return { kind: 'nothing' };
  return {
    kind: 'patch',
    operations: [
      // Fails if another program has changed the object; it is then read again.
      { op: 'test', path: '/metadata/resourceVersion', value: versionOf(configuration) },
      ...bundles.operations,
      ...(owner === undefined ? [] : [owner]),
    ],
    parts: [
      ...(bundles.operations.length > 0 ? ['ca_bundle' as const] : []),
      ...(owner === undefined ? [] : ['owner' as const]),
    ],
    isUrgent: bundles.isUrgent,
  };
}

/** Without an injector the webhook would refuse pods for ever. */
function whyDelete({ namespace, deployment }: Surroundings): string | undefined {
  if (namespace !== undefined && !isLasting(namespace)) return 'the namespace is being deleted';
  return deployment === 'going' ? 'the injector is being deleted' : undefined;
}

function bundleOperations({ webhooks }: JsonObject, { bundle, service }: Surroundings) {
  if (bundle === undefined || !Array.isArray(webhooks)) return { operations: [], isUrgent: false };
  const wanted = Buffer.from(bundle).toString('base64');
  const configs = webhooks.map((webhook) => (isObject(webhook) ? webhook.clientConfig : undefined));
  const wrong = configs.flatMap((config, index) => {
    if (!isObject(config) || !targets(config, service) || config.caBundle === wanted) return [];
    return [{ index, isMissing: textIn(config.caBundle) === undefined }];
  });
  return {
    operations: wrong.map(({ index }): Operation => {
      return { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: wanted };
    }),
    isUrgent: wrong.some(({ isMissing }) => isMissing),
  };
}

/** Skips webhooks that an operator has added for other services. */
function targets({ service }: JsonObject, { name, namespace }: Surroundings['service']): boolean {
  return isObject(service) && service.name === name && service.namespace === namespace;
}

/** Lets the garbage collector delete the configuration with the namespace, if no keeper is left to do so. */
function ownerOperation(configuration: JsonObject, namespace: JsonObject | undefined): Operation | undefined {
  const { name, uid } = metadataOf(namespace);
  if (namespace === undefined || textIn(uid) === undefined) return undefined;
  const { ownerReferences } = metadataOf(configuration);
  const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isObject) : [];
  if (owners.some((owner) => owner.uid === uid)) return undefined;
  // The owner of an earlier namespace of this name would make the garbage collector delete the configuration.
  const others = owners.filter((owner) => !(owner.kind === 'Namespace' && owner.name === name));
  const owner = { apiVersion: 'v1', kind: 'Namespace', name, uid };
  return { op: 'add', path: '/metadata/ownerReferences', value: [...others, owner] };
}
