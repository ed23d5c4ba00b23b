// What firmware says where the vendor entered no value.
const meaninglessValues =
  /^(-|none|default string|to be filled.*|not specified|unknown|n\/a|system (manufacturer|product name|serial number)|0+)$/i

/** A text of the firmware or of an installer; undefined for one that says nothing. */
export function word(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const trimmed = value.trim().slice(0, 255)
  return trimmed === '' || meaninglessValues.test(trimmed) ? undefined : trimmed
}

/** A positive whole number; undefined for one that is unknown. */
export function whole(value: number | null | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : undefined
}
