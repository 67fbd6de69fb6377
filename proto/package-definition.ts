// The whole contract with a descriptor of every message, for reflection: a quarter of a second of processor time.
import { fromJSON, type PackageDefinition } from '@grpc/proto-loader';
import contract from './generated/contract.json' with { type: 'json' };

/** All definitions by full name. */
export function packageDefinition(): PackageDefinition {
  return fromJSON(contract as Parameters<typeof fromJSON>[0], {
    keepCase: false,
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
}
