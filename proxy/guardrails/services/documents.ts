// Short texts are asked about together: a request has dozens, and who judges them is paid for each question. What was found in a document
// is told of the texts that it stands in.
import type { ServiceFinding, TextVerdict } from '../../../guardrails/services/adapter.ts';

/** One or more texts, one behind the other. */
export interface TextDocument {
  readonly text: string;
  readonly parts: readonly Part[];
}

interface Part {
  /** Of the text. */
  readonly index: number;
  /** Where it begins in the document. */
  readonly at: number;
  readonly length: number;
}

/** No sentence goes on over it. */
const separator = '\n\n';

/** @param max UTF-16 units of a document; 0: each text alone */
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

/** @param verdicts of each document, of whoever has judged it @returns of each text */
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
      // What is left of several texts nobody can tell apart.
      if (parts.length === 1 && first !== undefined) masked[first.index] ??= verdict.masked;
      for (const finding of verdict.found)
        for (const [index, one] of placed(finding, parts)) found[index]?.push(one);
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
