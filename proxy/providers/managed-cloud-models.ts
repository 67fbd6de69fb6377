// The managed cloud model service: one API for models of many makers (Converse, ConverseStream), signed requests, binary frames.
// Source: SDK types of the package @aws-sdk/client-bedrock-runtime.

import { vendorIdentity } from '../../common/vendors.ts';
import { readCloudError } from '../formats/converse/errors.ts';
import { readCloudAnswer } from '../formats/converse/read-response.ts';
import { CloudStreamReader } from '../formats/converse/read-stream.ts';
import { buildCloudRequest, streamType } from '../formats/converse/write-request.ts';
import type { Provider } from './provider.ts';

export const managedCloudModels: Provider = {
  ...vendorIdentity('managed-cloud-models'),
  routeCredential: 'cloud-keys',
  fetchesImages: true,
  streamType,
  streamStops: { value: false, source: 'OpenRouter, "Stream cancellation"', asOf: '2026-11-22' },
  buildRequest: buildCloudRequest,
  readAnswer: readCloudAnswer,
  openStream: (call, head, limits) => new CloudStreamReader(call, head, limits),
  readError: readCloudError,
};
