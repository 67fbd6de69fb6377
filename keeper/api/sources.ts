// The sources of objects: their paths, and how all objects are read before a watch continues from there.
import { isObject, type JsonObject } from '../../common/json.ts';
import { type ApiClient, hasStatus } from './client.ts';

export interface Source {
  /** For the log. */
  readonly what: string;
  /** Path of the collection, for watches. */
  readonly path: string;
  readonly fieldSelector?: string;
  /** The part of each object that is kept; default: everything. */
  project?(object: JsonObject): JsonObject;
  read(client: ApiClient): Promise<Reading>;
}

export interface Reading {
  readonly objects: readonly JsonObject[];
  /**
   * The collection's version, from which a watch continues. Undefined: unknown; the watch reports the existing objects
   * first.
   */
  readonly resourceVersion: string | undefined;
}

export const paths = {
  webhook: (name: string) => `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`,
  namespace: (name: string) => `/api/v1/namespaces/${name}`,
  namespaces: '/api/v1/namespaces',
  limitRanges: '/api/v1/limitranges',
  deployment: (namespace: string, name: string) => `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
  podTemplate: (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/podtemplates/${name}`,
  secret: (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/secrets/${name}`,
  lease: (namespace: string, name: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`,
} as const;

/**
 * A single object by its name, for which rights to that name are enough. A watch cannot continue from the object's own
 * version: it is that of the last change, which may be older than the server's history.
 */
export function oneObject(what: string, path: string): Source {
  const at = path.lastIndexOf('/');
  return {
    what,
    path: path.slice(0, at),
    fieldSelector: `metadata.name=${path.slice(at + 1)}`,
    read: async (client) => {
      try {
        return { objects: [await client.get(path)], resourceVersion: undefined };
      } catch (error) {
        if (hasStatus(error, 404)) return { objects: [], resourceVersion: undefined };
        throw error;
      }
    },
  };
}

const pageSize = 500;

/**
 * All objects of a kind in the cluster, read in pages. @param project the part of each to keep, because a cluster has
 * many
 */
export function allObjects(what: string, path: string, project: (object: JsonObject) => JsonObject): Source {
  return {
    what,
    path,
    project,
    read: async (client) => {
      const objects: JsonObject[] = [];
      let next = '';
      for (;;) {
        const query = new URLSearchParams({
          limit: String(pageSize),
          ...(next !== '' && { continue: next }),
        });
        const page = await client.get(`${path}?${query}`);
        for (const item of Array.isArray(page.items) ? page.items.filter(isObject) : []) objects.push(project(item));
        next = textIn(metadataOf(page).continue) ?? '';
        if (next === '') return { objects, resourceVersion: versionOf(page) };
      }
    },
  };
}

export function metadataOf(object: JsonObject | undefined): JsonObject {
  return isObject(object?.metadata) ? object.metadata : {};
}

export function versionOf(object: JsonObject): string | undefined {
  return textIn(metadataOf(object).resourceVersion);
}

/** Undefined for an empty text and for other types. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts among labels, annotations and similar maps; other values are dropped. */
export function textsIn(value: unknown): Readonly<Record<string, string>> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The object is not being deleted. */
export function isLasting(object: JsonObject): boolean {
  return metadataOf(object).deletionTimestamp === undefined;
}
