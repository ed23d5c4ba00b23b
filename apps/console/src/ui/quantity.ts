const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Bytes as people say them. */
export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return '–'
  const step = count <= 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** step
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`
}

/** A length of time in its two largest units. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–'
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    Math.floor(seconds % 60),
  ]
  if (d > 0) return `${d} d ${h} h`
  if (h > 0) return `${h} h ${m} min`
  return m > 0 ? `${m} min ${s} s` : `${s} s`
}

/** A number with separators. */
export const count = (value: number): string => value.toLocaleString('en')
/** `1 device`, `2 devices`. */
export const many = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`
