interface Value {
  readonly type: string
  readonly data: unknown
}

/** Adds the bytes of a text that the protocol cannot carry: it replaces NUL and unpaired surrogates by U+FFFD. */
export function withBytes<Given extends Value>(value: Given): Given & { readonly bytes?: string } {
  const { data } = value
  if (typeof data !== 'string' || (data.isWellFormed() && !data.includes('\0'))) return value
  return { ...value, bytes: Buffer.from(data, 'utf16le').toString('base64') }
}
