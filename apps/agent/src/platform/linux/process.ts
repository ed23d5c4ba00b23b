import { readFile } from 'node:fs/promises'

/** Number and start time of a process; one that only waits to be collected has ended. */
export async function identify(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name of the program stands in parentheses and may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${pid}:${fields[19]}`
}
