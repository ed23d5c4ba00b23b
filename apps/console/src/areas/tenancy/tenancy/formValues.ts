/** For number fields that may be empty: what stands there as a number, or null. */
export const numberOrNone = {
  setValueAs: (text: string | number | null) => (text === '' || text === null ? null : Number(text)),
}

/** A short name made of a long one. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)

/** A value of a free-form object as text for a field. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
