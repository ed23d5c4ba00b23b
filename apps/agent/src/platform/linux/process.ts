import { readFile } from 'node:fs/promises'

/** PID and start time of a process; undefined for a zombie. */
export async function identify(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The program name is in parentheses and may contain any character.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${pid}:${fields[19]}`
}
