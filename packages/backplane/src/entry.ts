/** The value of a field in a stream entry, whose fields and values alternate. */
export function fieldOf(fields: readonly Buffer[], name: string): Buffer | undefined {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === name)
  return at < 0 ? undefined : fields[at + 1]
}
