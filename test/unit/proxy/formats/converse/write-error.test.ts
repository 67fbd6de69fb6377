// Errors in the envelope of Converse, as the official SDK reads them: the class that applications catch, by the status.
import { Readable } from 'node:stream';
import {
  AccessDeniedException,
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  InternalServerException,
  InvokeModelCommand,
  ModelTimeoutException,
  ResourceNotFoundException,
  ServiceUnavailableException,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { exceptionFrame } from '../../../../../proxy/formats/converse/frames.ts';
import {
  converseErrorHeaders,
  writeConverseError,
  writeConverseStreamError,
} from '../../../../../proxy/formats/converse/write-error.ts';

/** A client whose every request gets this error. */
function refused(status: number): BedrockRuntimeClient {
  const error = { status, message: 'the reason', param: undefined, code: 'a_code', hint: 'advice' };
  const [name = '', value = ''] = converseErrorHeaders(error);
  const headers = { [name]: value, 'content-type': 'application/json' };
  const handle = async () => ({
    response: {
      statusCode: status,
      headers,
      body: Readable.from([Buffer.from(JSON.stringify(writeConverseError(error)))]),
    },
  });
  const requestHandler = { handle, metadata: { handlerProtocol: 'http/1.1' } };
  const config: BedrockRuntimeClientConfig = {
    ...{ region: 'eu-west-1', token: { token: 'vk' }, authSchemePreference: ['httpBearerAuth'], maxAttempts: 1 },
    requestHandler,
  };
  return new BedrockRuntimeClient(config);
}

describe('an error of the status', () => {
  it.each([
    [400, ValidationException],
    [401, AccessDeniedException],
    [402, AccessDeniedException],
    [403, AccessDeniedException],
    [404, ResourceNotFoundException],
    [408, ModelTimeoutException],
    [413, ValidationException],
    [415, ValidationException],
    [429, ThrottlingException],
    [500, InternalServerException],
    [502, InternalServerException],
    [503, ServiceUnavailableException],
    [504, ModelTimeoutException],
  ])('%i is the SDK’s own, with the code of the gateway', async (status, type) => {
    const modelId = 'm';
    const commands = [
      refused(status).send(new ConverseCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })),
      refused(status).send(new InvokeModelCommand({ modelId, body: '{}' })),
    ];
    for (const command of commands) {
      const error = await command.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ message: 'the reason', code: 'a_code', $metadata: { httpStatusCode: status } });
    }
  });
});

describe('an error with the type that the vendor gave it', () => {
  const error = { status: 400, message: 'the reason', param: undefined, code: undefined };

  it('keeps the type, whatever the status', () => {
    const type = 'ServiceQuotaExceededException';
    expect(converseErrorHeaders({ ...error, type })).toEqual(['x-amzn-errortype', type]);
  });

  it.each([
    ['ThrottlingException', 'throttlingException'],
    ['ServiceUnavailableException', 'serviceUnavailableException'],
    // The SDK's streams have no such member.
    ['ServiceQuotaExceededException', 'modelStreamErrorException'],
    [undefined, 'modelStreamErrorException'],
  ])('%s is the frame %s in a stream', (type, frame) => {
    const written = writeConverseStreamError({ ...error, type });
    expect(written).toEqual(exceptionFrame(frame, JSON.stringify(writeConverseError(error))));
  });
});
