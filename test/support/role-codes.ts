// The usual expectations of the role matrix: which roles may call a method.
export type Code = 'OK' | 'PERMISSION_DENIED' | 'NOT_FOUND' | 'INVALID_ARGUMENT';
export const [ok, denied, hidden, invalid] = ['OK', 'PERMISSION_DENIED', 'NOT_FOUND', 'INVALID_ARGUMENT'] as const;

export const managersOnly = {
  own: { owner: ok, admin: ok, member: denied },
  otherOwner: hidden,
  otherMember: denied,
  platform: denied,
} as const;
export const everybodyInside = {
  own: { owner: ok, admin: ok, member: ok },
  otherOwner: hidden,
  otherMember: hidden,
  platform: denied,
} as const;
export const managersHiddenFromPlatform = { ...managersOnly, platform: hidden } as const;
export const platformOnly = {
  own: { owner: denied, admin: denied, member: denied },
  otherOwner: denied,
  otherMember: denied,
  platform: ok,
} as const;
export const nobodyButOthers = { ...platformOnly, platform: denied } as const;
export const ownersOnly = {
  own: { owner: ok, admin: denied, member: denied },
  otherOwner: hidden,
  otherMember: denied,
  platform: denied,
} as const;
