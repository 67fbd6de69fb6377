// What is scarce, by plane: the rows of both tables of shares, and what has no row because it cannot be held, with how it is kept fair.
import { type ShareName, shares } from '../../proxy/shares.ts';

/** No row: nobody refuses for want of it. */
const unshared = {
  event_loop: 'the one thread of a proxy',
} as const;

export type Resource = `proxy ${ShareName}` | `unshared ${keyof typeof unshared}`;

export const resources: readonly Resource[] = [
  ...(Object.keys(shares) as ShareName[]).map((name) => `proxy ${name}` as const),
  ...(Object.keys(unshared) as (keyof typeof unshared)[]).map((name) => `unshared ${name}` as const),
];

/** The metric's label, and whose metric it is. */
export function shareOf(
  resource: Resource,
): { readonly plane: 'proxy' | 'controlPlane'; readonly name: string } | undefined {
  const [plane = '', name = ''] = resource.split(' ');
  return plane === 'unshared' ? undefined : { plane: plane === 'proxy' ? 'proxy' : 'controlPlane', name };
}
