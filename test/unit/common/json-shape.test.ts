import { describe, expect, it } from 'vitest';
import {
  aFlag,
  aList,
  aMap,
  aNumber,
  anObject,
  aPair,
  aRecord,
  aString,
  aWord,
  orAbsent,
  orNull,
  readShape,
  type Shape,
  ShapeError,
} from '../../../common/json-shape.ts';

const person = aRecord<{ name: string; tags: string[]; age?: number | undefined }>({
  name: aString,
  tags: aList(aString),
  age: orAbsent(aNumber),
});

function problemOf(shape: Shape<unknown>, text: string): string {
  try {
    readShape(text, shape);
    return 'none';
  } catch (error) {
    if (error instanceof ShapeError) return error.message;
    throw error;
  }
}

describe('a shape', () => {
  it('accepts a matching value, and fields that another version added', () => {
    const text = '{"name":"Ada","tags":["a"],"later":{"x":1}}';
    expect(readShape(text, person)).toEqual(JSON.parse(text));
  });

  it.each<[Shape<unknown>, string, string]>([
    [person, '{"tags":[]}', 'name must be a string'],
    [person, '{"name":"Ada","tags":["a",7]}', 'tags[1] must be a string'],
    [person, '{"name":"Ada","tags":"a"}', 'tags must be a list'],
    [person, '{"name":"Ada","tags":[],"age":null}', 'age must be a number'],
    [person, '[]', 'must be an object'],
    [person, 'null', 'must be an object'],
    [aList(person), '[{"name":"Ada","tags":[null]}]', '[0].tags[0] must be a string'],
    [aRecord({ person }), '{"person":{"name":1}}', 'person.name must be a string'],
    [aList(aPair(aString, aNumber)), '[["a",1],["b","2"]]', '[1][1] must be a number'],
    [aPair(aNumber, aNumber), '[1]', 'must be a pair'],
    [aMap(aFlag), '{"sk-secret-name":3}', '[…] must be true or false'],
    [aWord(['red', 'green']), '"sk-secret-value"', 'must be a word that this version knows'],
    [orNull(aString), '0', 'must be a string'],
    [anObject, '"sk-secret-value"', 'must be an object'],
    [aString, 'sk-secret-value', 'is no JSON'],
  ])('%# refuses a value that does not match, and reports its location without the value', (shape, text, problem) => {
    expect(problemOf(shape, text)).toBe(problem);
  });

  it.each<[Shape<unknown>, string]>([
    [orNull(aString), 'null'],
    [aMap(aString), '{"a":"b"}'],
    [aWord(['red', 'green']), '"green"'],
    [aPair(aString, aNumber), '["a",1]'],
  ])('%# accepts %s', (shape, text) => {
    expect(problemOf(shape, text)).toBe('none');
  });
});
