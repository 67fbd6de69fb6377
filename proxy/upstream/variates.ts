// Variates that decide an order by weight. Each target gets an exponential variate whose rate is its weight, and the
// smallest comes first: that happens as often as its share of the weights. For a conversation they are a hash of the
// conversation and the target (weighted rendezvous hashing): always the same order, and a target that comes or goes
// moves only the conversations that it gets or had.
import { createHash } from 'node:crypto';

/** @param name of what it is for: the same for the same target. @returns from 0 to below 1, uniformly */
export type Variate = (name: string) => number;

export const randomVariate: Variate = () => Math.random();

/** @param session a conversation of the organization */
export function sessionVariate(organization: string, session: string): Variate {
  return (name) => {
    // Lengths keep different triples apart.
    const seed = `${organization.length} ${session.length} ${organization}${session}${name}`;
    return createHash('sha256').update(seed).digest().readUIntBE(0, 6) / 2 ** 48;
  };
}

/** The rank of a target: the smallest comes first. @param value from 0 to below 1 */
export function rankOf(value: number, weight: number): number {
  return -Math.log(1 - value) / weight;
}
