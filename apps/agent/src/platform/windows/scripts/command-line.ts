/** One word of a command line in the notation that the C runtime of Windows reads. */
function quoted(word: string): string {
  if (word !== '' && !/[\s"]/.test(word)) return word
  // Backslashes count double before a quote, and before the one at the end.
  return `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}

/** The command line of a program. @param isVerbatim whether its arguments are written as they are */
export const commandLineOf = (program: string, args: readonly string[], isVerbatim: boolean): string =>
  [quoted(program), ...(isVerbatim ? args : args.map(quoted))].join(' ')

/**
 * The environment of a user with the variables of a script in their place, as `CreateProcess` takes it: sorted by name
 * regardless of case, each with a final NUL, and one more at the end.
 */
export function environmentBlock(user: readonly string[], variables: Readonly<Record<string, string>>): string {
  const nameOf = (entry: string) => entry.slice(0, entry.indexOf('=', 1)).toUpperCase()
  const own = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const names = new Set(own.map(nameOf))
  const all = [...user.filter((entry) => !names.has(nameOf(entry))), ...own]
  const sorted = all.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return `${sorted.map((entry) => `${entry}\0`).join('')}\0`
}
