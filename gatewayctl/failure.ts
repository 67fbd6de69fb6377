// The ways in which a command can fail. The exit codes are public, because scripts rely on them. The message is one
// sentence with the problem and its fix, and never contains a credential.
import { credentialPrefixes } from '../common/credential.ts';

export const exitCodes = {
  done: { code: 0, about: 'done' },
  refused: { code: 1, about: 'the server refused, or the confirmation was missing' },
  usage: {
    code: 2,
    about: 'the command line, a file given to it or the configuration is wrong; nothing was sent',
  },
  unreachable: {
    code: 3,
    about: 'the server cannot be reached, did not respond in time or cannot serve right now',
  },
  unauthenticated: { code: 4, about: 'there is no token, or the server does not or no longer accept it' },
  fault: { code: 70, about: 'a fault of this program' },
  interrupted: { code: 130, about: 'interrupted (Ctrl-C)' },
} as const;

export type Ending = keyof typeof exitCodes;

export class Failure extends Error {
  readonly ending: Ending;

  /** @param message one sentence, written for the user who has to act */
  constructor(ending: Exclude<Ending, 'done'>, message: string) {
    super(message);
    this.name = 'Failure';
    this.ending = ending;
  }
}

export function usageMistake(message: string): Failure {
  return new Failure('usage', message);
}

const credential = new RegExp(`(?:${Object.values(credentialPrefixes).join('|')})[0-9A-Za-z]+`, 'g');

/** For all output of errors: a credential in the wrong option must not be repeated. */
export function withoutCredentials(text: string): string {
  return text.replace(credential, '[credential]');
}
