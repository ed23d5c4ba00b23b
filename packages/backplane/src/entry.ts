/** The value of a field of a stream's entry, whose fields and values come in turns. */
export function fieldOf(fields: readonly Buffer[], name: string): Buffer | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === name)
  return at < 0 ? undefined : fields[at + 1]
}
