// What a role may call at all: the table of methods, for clients that offer nothing in vain.
import type { Role } from '../../proto/words/access.ts';
import { type MethodName, methodNamed, methodNames } from './methods.ts';

/** The methods that operators of the role may call, on the resources that they reach. */
export function permissionsOf(role: Role): readonly MethodName[] {
  return methodNames.filter((name) => {
    const method = methodNamed(name);
    return method.audience === 'operator' && method.roles.includes(role);
  });
}
