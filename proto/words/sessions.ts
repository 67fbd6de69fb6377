// Enum words of the console's sessions and sign-in.
import type { SignInDomainState__Output } from '../generated/gateway/v1/SignInDomainState.ts';
import type { SignInMethod__Output } from '../generated/gateway/v1/SignInMethod.ts';
import type { UnknownPerson__Output } from '../generated/gateway/v1/UnknownPerson.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

export const signInMethods = enumWords({
  SIGN_IN_METHOD_LINK: 'link',
  SIGN_IN_METHOD_OPERATOR_TOKEN: 'operator_token',
  SIGN_IN_METHOD_ISSUER: 'issuer',
} as const satisfies WordsFor<SignInMethod__Output>);
export type SignInMethod = WordOf<typeof signInMethods>;

export const domainStates = enumWords({
  SIGN_IN_DOMAIN_STATE_UNVERIFIED: 'unverified',
  SIGN_IN_DOMAIN_STATE_VERIFIED: 'verified',
  SIGN_IN_DOMAIN_STATE_VOUCHED: 'vouched',
} as const satisfies WordsFor<SignInDomainState__Output>);
export type DomainState = WordOf<typeof domainStates>;

export const unknownPeople = enumWords({
  UNKNOWN_PERSON_REFUSE: 'refuse',
  UNKNOWN_PERSON_MEMBER: 'member',
} as const satisfies WordsFor<UnknownPerson__Output>);
export type UnknownPerson = WordOf<typeof unknownPeople>;
