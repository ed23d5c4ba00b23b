/** A value of a registry key that describes a program, a driver or an update. */
export interface EntryValue {
  readonly name: string
  readonly data: unknown
}

/** The data of a value by its name, whose case the system ignores. */
export const dataOf = (values: readonly EntryValue[], name: string): unknown =>
  values.find((value) => value.name.toLowerCase() === name.toLowerCase())?.data
