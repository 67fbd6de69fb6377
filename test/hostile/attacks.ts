// All attacks, by name: at least one for each resource (hostile.timing.test.ts).
import type { Attack } from './attack.ts';
import { controlPlaneAttacks } from './control-plane-attacks.ts';
import { proxyAttacks } from './proxy-attacks.ts';

export const attacks = { ...proxyAttacks, ...controlPlaneAttacks } as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof attacks;
