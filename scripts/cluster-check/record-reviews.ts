// Records reviews of a real API server: a webhook that is called before the gateway's for the same pods, changes
// nothing and writes each review to a file. To run it by hand: node scripts/cluster-check/record-reviews.ts <address>
// <port> <certificate> <key> <folder>
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
  };
}

const [address = '', port = '', certFile = '', keyFile = '', folder = ''] = process.argv.slice(2);
const seen = new Map<string, number>();

createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
  // The pod's label names the recording; a second review of the same pod is a reinvocation.
  const name = review.request.object.metadata.labels?.recording;
  const count = (seen.get(name ?? '') ?? 0) + 1;
  seen.set(name ?? '', count);
  const file = count === 1 ? `${name}.json` : `${name}-again.json`;
  if (name !== undefined) writeFileSync(join(folder, file), `${JSON.stringify(review, null, 2)}\n`);
  const result = { uid: review.request.uid, allowed: true };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: result }));
}).listen(Number(port), address, () => console.log('"msg":"records reviews"'));
