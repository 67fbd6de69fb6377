// What is scarce: the rows of the tables of shares, by plane.
import { type ShareName, shares } from '../../proxy/shares.ts';

export type Resource = `proxy ${ShareName}`;

export const resources: readonly Resource[] = (Object.keys(shares) as ShareName[]).map(
  (name) => `proxy ${name}` as const,
);

/** Whose metric it is, and the metric's label. */
export function shareOf(resource: Resource): {
  readonly plane: 'proxy' | 'controlPlane';
  readonly name: string;
} {
  const [plane = '', name = ''] = resource.split(' ');
  return { plane: plane === 'proxy' ? 'proxy' : 'controlPlane', name };
}
