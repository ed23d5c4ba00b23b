// Reads search parameters of addresses. They come from people and old bookmarks, so what makes no sense counts as absent.

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const text = (given: unknown): string | undefined =>
  typeof given === 'string' && given.trim() !== ''
    ? given.slice(0, 500)
    : typeof given === 'number'
      ? String(given)
      : undefined

/** A path on some machine, which may be long and is kept whole. */
export const path = (given: unknown): string | undefined =>
  typeof given === 'string' && /^(\/|[A-Z]:\\)/i.test(given) && given.length <= 4_096 ? given : undefined

export const id = (given: unknown): string | undefined =>
  typeof given === 'string' && idForm.test(given) ? given : undefined

export const oneOf =
  <const Value extends string>(...values: readonly Value[]) =>
  (given: unknown): Value | undefined =>
    values.find((value) => value === given)

export const someOf =
  <const Value extends string>(...values: readonly Value[]) =>
  (given: unknown): Value[] | undefined => {
    const chosen = Array.isArray(given) ? values.filter((value) => given.includes(value)) : []
    return chosen.length > 0 ? chosen : undefined
  }

export const whole = (given: unknown): number | undefined =>
  typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : undefined

/** A day such as 2026-01-31. */
export const day = (given: unknown): string | undefined =>
  typeof given === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(given) ? given : undefined

/** Several short texts, such as tags. */
export const texts = (given: unknown): string[] | undefined => {
  const found = Array.isArray(given) ? given.flatMap((each) => text(each) ?? []).slice(0, 50) : []
  return found.length > 0 ? found : undefined
}

/** A tree of values whose sense its screen finds out. */
export const tree = (given: unknown): object | undefined =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined

type Readers = Record<string, (given: unknown) => unknown>
type Read<Shape extends Readers> = { [Name in keyof Shape]?: ReturnType<Shape[Name]> }

/** Reads the parameters that a screen knows, each with its reader; all are optional. */
export function searchOf<Shape extends Readers>(shape: Shape): (given: Record<string, unknown>) => Read<Shape> {
  const readers = Object.entries(shape)
  return (given) => {
    const known: unknown = Object.fromEntries(
      readers.flatMap(([name, read]) => {
        const value = read(given[name])
        return value === undefined ? [] : [[name, value]]
      }),
    )
    return known as Read<Shape>
  }
}
