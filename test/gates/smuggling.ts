/** Headers with which two programs could disagree where a body ends, so one would read the rest as a second request. */
export const ambiguousLengths: Record<string, readonly string[]> = {
  'both a length and chunks': ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  'chunks and a length': ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  'two lengths': ['Content-Length: 2', 'Content-Length: 120'],
  'a list of lengths': ['Content-Length: 2, 120'],
  'a signed length': ['Content-Length: +2'],
  'a negative length': ['Content-Length: -2'],
  'a length in hexadecimal': ['Content-Length: 0x2'],
  'a length with a space before its colon': ['Content-Length : 2'],
  'an unknown coding': ['Transfer-Encoding: xchunked'],
  'a coding after chunks': ['Transfer-Encoding: chunked, identity'],
  'two codings': ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'],
  'a coding with a tab': ['Transfer-Encoding:\tchunked\x0b'],
  'a folded coding': ['Transfer-Encoding:\r\n chunked', 'Content-Length: 5'],
}
