// Rules of RFC 9110 and 9112 that requests and responses share. Texts have one character for each byte.

/** The characters of a token, for a class of a regular expression. */
const tokenCharacters = "!#$%&'*+.^`|~\\w-";
const valueCharacters = '\\t\\x20-\\x7e\\x80-\\xff';
const token = `[${tokenCharacters}]+`;
const quoted = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';

export const nameForm = new RegExp(`^${token}$`);
export const valueForm = new RegExp(`^[${valueCharacters}]*$`);
/** A name, and a value that may end with white space. */
export const fieldLine = new RegExp(`^(${token}):[\\t ]*([${valueCharacters}]*)$`);
export const statusLine = new RegExp(`^HTTP/1\\.([01]) ([1-9]\\d\\d)(?: [${valueCharacters}]*)?$`);
/** Of a chunk. Eight digits are 4 GiB. An extension is a name, with or without a value. */
export const sizeLine = new RegExp(`^([\\da-f]{1,8})(?:;${token}(?:=(?:${token}|${quoted}))?)*$`, 'i');
/** Without extensions. */
export const plainSizeLine = /^([\da-f]{1,8})$/i;
/** Up to fifteen digits, which a number represents exactly. */
export const lengthForm = /^\d{1,15}$/;
