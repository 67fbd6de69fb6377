// The contract from its .proto files.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

/** With comments, which contract.json does not have. */
export function loadContract(): protobuf.Root {
  const protoDir = join(import.meta.dirname, '../proto');
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(protoDir, target);
  const files = readdirSync(join(protoDir, 'gateway/v1')).sort();
  root.loadSync(
    files.map((name) => `gateway/v1/${name}`),
    { keepCase: false, alternateCommentMode: true },
  );
  root.resolveAll();
  return root;
}
