// Which history of the database a revision belongs to. Two databases that could have gone different ways must not share an
// epoch, since positions of one epoch are compared by revision alone.
import { hash } from 'node:crypto';

/** A short name for whatever tells histories apart. */
export function epochOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}
