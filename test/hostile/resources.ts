// The scarce resources: the rows of both tables of shares, by plane.
import { type ShareResource, shareRows } from '../../control-plane/rpc/shares.ts';
import { type ShareName, shares } from '../../proxy/shares.ts';

export type Resource = `proxy ${ShareName}` | `controlPlane ${ShareResource}`;

export const resources: readonly Resource[] = [
  ...(Object.keys(shares) as ShareName[]).map((name) => `proxy ${name}` as const),
  ...(Object.keys(shareRows) as ShareResource[]).map((name) => `controlPlane ${name}` as const),
];

/** Returns the plane with the metric of a resource, and the metric's label. */
export function shareOf(resource: Resource): {
  readonly plane: 'proxy' | 'controlPlane';
  readonly name: string;
} {
  const [plane = '', name = ''] = resource.split(' ');
  return { plane: plane === 'proxy' ? 'proxy' : 'controlPlane', name };
}
