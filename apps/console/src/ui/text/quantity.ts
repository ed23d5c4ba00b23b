const decimal = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

function scaled(count: number | null | undefined, base: number, units: readonly string[]): string {
  if (count === null || count === undefined) return '–'
  const step = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(count) / Math.log(base) + 1e-9))
  const value = count / base ** step
  const digits = step === 0 || value >= 100 || Number.isInteger(value) ? 0 : 1
  return `${value.toFixed(digits)} ${units[step]}`
}

/** Sizes of files and disks, in steps of 1000. */
export const bytes = (count: number | null | undefined): string => scaled(count, 1000, decimal)
/** Sizes of memory, in steps of 1024. */
export const memory = (count: number | null | undefined): string => scaled(count, 1024, binary)

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
