// The forms of a message's blocks, as in the vendor's model of its API (ContentBlock, SystemContentBlock of its SDK).
// conversation.ts and abilities.ts check the position of a block and whether the model accepts it.
import { arrayOf, boolean, type Check, integer, object, oneOf, string } from '../checks.ts';
import { blob, jsonObject, union } from './shapes.ts';

export const toolName = string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });
const toolUseId = string({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_.:-]+$/ });

export const cachePoint = object({ type: oneOf('default') }, { ttl: oneOf('5m', '1h') });

const s3Location = object(
  { uri: string({ min: 1, max: 1024, pattern: /^s3:\/\/[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](\/.*)?$/ }) },
  { bucketOwner: string({ pattern: /^[0-9]{12}$/ }) },
);
const error = object({}, { message: string() });

const imageSource = union('ImageSource', { bytes: blob, s3Location });
const image = object({ format: oneOf('png', 'jpeg', 'gif', 'webp'), source: imageSource }, { error });

const documentSource = union('DocumentSource', {
  bytes: blob,
  s3Location,
  text: string(),
  content: arrayOf(union('DocumentContentBlock', { text: string() })),
});
const citationsConfig = object({ enabled: boolean });
const document = object(
  { name: string({ min: 1, max: 200 }), source: documentSource },
  {
    format: oneOf('pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'),
    context: string(),
    citations: citationsConfig,
  },
);

const mediaSource = (name: string) => union(name, { bytes: blob, s3Location });
const video = object({
  format: oneOf('mkv', 'mov', 'mp4', 'webm', 'flv', 'mpeg', 'mpg', 'wmv', 'three_gp'),
  source: mediaSource('VideoSource'),
});
const audio = object(
  {
    format: oneOf(
      'mp3',
      'opus',
      'wav',
      'aac',
      'flac',
      'mp4',
      'ogg',
      'mkv',
      'mka',
      'x-aac',
      'm4a',
      'mpeg',
      'mpga',
      'pcm',
      'webm',
    ),
    source: mediaSource('AudioSource'),
  },
  { error },
);

const searchResult = object(
  { source: string(), title: string(), content: arrayOf(object({ text: string() })) },
  { citations: citationsConfig },
);

const toolUse = object({ toolUseId, name: toolName, input: jsonObject }, { type: oneOf('server_tool_use') });
const toolResult = object(
  {
    toolUseId,
    content: arrayOf(
      union('ToolResultContentBlock', {
        json: jsonObject,
        text: string(),
        image,
        document,
        video,
        searchResult,
      }),
    ),
  },
  { status: oneOf('success', 'error'), type: string() },
);

const guardContent = union('GuardrailConverseContentBlock', {
  text: object({ text: string() }, { qualifiers: arrayOf(oneOf('grounding_source', 'query', 'guard_content')) }),
  image: object({
    format: oneOf('png', 'jpeg'),
    source: union('GuardrailConverseImageSource', { bytes: blob }),
  }),
});

const reasoningContent = union('ReasoningContentBlock', {
  reasoningText: object({ text: string() }, { signature: string() }),
  redactedContent: blob,
});

const span = (index: string): Check => object({}, { [index]: integer(0), start: integer(0), end: integer(0) });
const texts = (name: string) => arrayOf(union(name, { text: string() }));
const citationsContent = object(
  {},
  {
    content: texts('CitationGeneratedContent'),
    citations: arrayOf(
      object(
        {},
        {
          title: string(),
          source: string(),
          sourceContent: texts('CitationSourceContent'),
          location: union('CitationLocation', {
            web: object({}, { url: string(), domain: string() }),
            documentChar: span('documentIndex'),
            documentPage: span('documentIndex'),
            documentChunk: span('documentIndex'),
            searchResultLocation: span('searchResultIndex'),
          }),
        },
      ),
    ),
  },
);

/**
 * Without toolAddition and toolRemoval, which are only in messages of the role `system`: few models accept those, none
 * of this table.
 */
export const contentBlock = union('ContentBlock', {
  text: string(),
  image,
  document,
  video,
  audio,
  toolUse,
  toolResult,
  guardContent,
  cachePoint,
  reasoningContent,
  citationsContent,
  searchResult,
});

export const systemBlock = union('SystemContentBlock', {
  text: string({ min: 1 }),
  guardContent,
  cachePoint,
});
