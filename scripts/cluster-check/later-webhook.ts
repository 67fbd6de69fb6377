// A mutating webhook that is called after the gateway's: it adds a container named `late` to pods without one. A
// separate process, because the check blocks while kubectl runs. To run it by hand:
// node scripts/cluster-check/later-webhook.ts <address> <port> <certificate> <key>
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object: { readonly spec: { readonly containers: readonly { readonly name: string }[] } };
  };
}

const [address = '', port = '', certFile = '', keyFile = ''] = process.argv.slice(2);

createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { uid, object } = (JSON.parse(Buffer.concat(chunks).toString()) as Review).request;
  const late = [{ op: 'add', path: '/spec/containers/-', value: { name: 'late', image: 'example/late:1' } }];
  const patch = object.spec.containers.some(({ name }) => name === 'late') ? [] : late;
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  response.setHeader('content-type', 'application/json').end(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid, allowed: true, ...(patch.length > 0 && { patchType: 'JSONPatch', patch: encoded }) },
    }),
  );
}).listen(Number(port), address, () => console.log('"msg":"later webhook listens"'));
