// Joins short texts into documents: a request has dozens of texts, and the service charges for each call. Matches in a
// document are assigned to the texts that contain them.
import type { ServiceFinding, TextVerdict } from '../../../guardrails/services/adapter.ts';

/** One or more joined texts. */
export interface TextDocument {
  readonly text: string;
  readonly parts: readonly Part[];
}

interface Part {
  /** Index of the text. */
  readonly index: number;
  /** Offset of the text in the document. */
  readonly at: number;
  readonly length: number;
}

/** A blank line, across which no sentence continues. */
const separator = '\n\n';

/** @param max length of a document in UTF-16 units; 0: each text alone */
export function documentsOf(texts: readonly string[], max: number): readonly TextDocument[] {
  const documents: TextDocument[] = [];
  let last: { text: string; parts: Part[] } | undefined;
  for (const [index, text] of texts.entries()) {
    if (last !== undefined && last.text.length + separator.length + text.length <= max) {
      last.parts.push({ index, at: last.text.length + separator.length, length: text.length });
      last.text += separator + text;
      continue;
    }
    last = { text, parts: [{ index, at: 0, length: text.length }] };
    documents.push(last);
  }
  return documents;
}

/** @param verdicts the service's verdicts on each document @returns verdicts on each text */
export function verdictsOf(
  documents: readonly TextDocument[],
  verdicts: readonly (readonly TextVerdict[])[],
): readonly TextVerdict[] {
  const found: ServiceFinding[][] = [];
  const masked: (string | undefined)[] = [];
  for (const [at, { parts }] of documents.entries()) {
    for (const part of parts) found[part.index] = [];
    const [first] = parts;
    for (const verdict of verdicts[at] ?? []) {
      // A masked document cannot be split into several texts.
      if (parts.length === 1 && first !== undefined) masked[first.index] ??= verdict.masked;
      for (const finding of verdict.found) for (const [index, one] of placed(finding, parts)) found[index]?.push(one);
    }
  }
  return found.map((findings, index) => {
    const left = masked[index];
    return { found: findings, ...(left !== undefined && { masked: left }) };
  });
}

function placed({ label, span }: ServiceFinding, parts: readonly Part[]): [number, ServiceFinding][] {
  const [first] = parts;
  if (span === undefined) return first === undefined ? [] : [[first.index, { label }]];
  return parts.flatMap(({ index, at, length }): [number, ServiceFinding][] => {
    const start = Math.max(0, span.start - at);
    const end = Math.min(length, span.end - at);
    return end > start ? [[index, { label, span: { start, end } }]] : [];
  });
}
