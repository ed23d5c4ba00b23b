/** For optional number fields: the number, or null when empty. */
export const numberOrNone = {
  setValueAs: (text: string | number | null) => (text === '' || text === null ? null : Number(text)),
}

/** The short name for a name. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)

/** A value of a free-form object as text for a field. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
