// Definitions of services and messages, in the form of @grpc/grpc-js. The first messages of a type are read and written
// by its descriptor: a program starts with one or two of each type, for which loading the compiler and compiling a type
// costs more than they do.
import { plainMessage } from './plain-messages.ts';
import { methodsOf, type WireMessage, type WireMethod, wireMethod } from './wire-method.ts';

export type { WireMessage, WireMethod };

/** So many messages of a type take less time than compiling it. */
export const plainMessagesMax = 10;

type Compiler = Pick<typeof import('./compiled-messages.ts'), 'compiledMessage'>;

let compiler: Compiler | undefined;
let loading: Promise<void> | undefined;

/** @throws Error if the contract has no such service */
export function serviceDefinition(service: string): Readonly<Record<string, WireMethod<never, object, never, object>>> {
  const names = Object.keys(methodsOf(service));
  if (names.length === 0) throw new Error(`the contract has no service ${service}`);
  return Object.fromEntries(names.map((name) => [name, methodDefinition(service, name)]));
}

/** @throws Error if the contract has no such method */
export function methodDefinition<Response>(
  service: string,
  name: string,
): WireMethod<unknown, object, unknown, Response> {
  return wireMethod<Response>([service, name], messageDefinition);
}

/** @throws Error, when it is first used, if the contract has no such message */
export function messageDefinition<Input, Output>(name: string): WireMessage<Input, Output> {
  let codec = plainMessage<Input, Output>(name);
  let plainMessages = 0;
  const next = (): WireMessage<Input, Output> => {
    if (plainMessages > plainMessagesMax) return codec;
    if (plainMessages < plainMessagesMax) plainMessages++;
    else if (compiler === undefined) void loadCompiler();
    else {
      codec = compiler.compiledMessage(name);
      plainMessages++;
    }
    return codec;
  };
  return {
    serialize: (message) => next().serialize(message),
    deserialize: (bytes) => next().deserialize(bytes),
  };
}

/** Resolves when the compiler is loaded. If that fails, messages stay plain, and the next one tries again. */
export function loadCompiler(): Promise<void> {
  loading ??= import('./compiled-messages.ts').then(
    (loaded) => {
      compiler = loaded;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}
