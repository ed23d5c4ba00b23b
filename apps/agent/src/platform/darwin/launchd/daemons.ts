import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Mac } from '../mac.ts'
import { readPlist } from '../plist.ts'

const folders = ['Library/LaunchDaemons', 'System/Library/LaunchDaemons']

const calendarEntry = z.record(z.string(), z.number())
const Definition = z.object({
  Label: z.string(),
  Program: z.string().optional(),
  ProgramArguments: z.array(z.string()).optional(),
  UserName: z.string().optional(),
  Disabled: z.boolean().optional(),
  StartInterval: z.number().optional(),
  StartCalendarInterval: z.union([calendarEntry, z.array(calendarEntry)]).optional(),
})
type Definition = z.infer<typeof Definition>

/** A service of the system that a property list defines. */
export interface Daemon extends Definition {
  file: string
}

/** Property lists that have one of these keys. A damaged one is skipped, as launchd skips it. */
export async function daemonsWith(mac: Mac, keys: readonly string[]): Promise<Daemon[]> {
  const daemons: Daemon[] = []
  for (const file of await definitionFiles(mac)) {
    const definition = Definition.safeParse(await readPlist(mac, file, keys))
    if (definition.success) daemons.push({ ...definition.data, file })
  }
  return daemons
}

/** The definition of a service; undefined when no property list has its label. */
export async function daemonNamed(mac: Mac, label: string): Promise<Daemon | undefined> {
  return (await daemonsWith(mac, [label])).find(({ Label }) => Label === label)
}

async function definitionFiles({ root }: Mac): Promise<string[]> {
  const lists = folders.map(async (folder) => {
    const names = await readdir(join(root, folder)).catch(() => [])
    return names
      .filter((name) => name.endsWith('.plist'))
      .sort()
      .map((name) => join(root, folder, name))
  })
  return (await Promise.all(lists)).flat()
}

export const commandOf = ({ Program, ProgramArguments = [] }: Daemon): string | null =>
  (ProgramArguments.length > 0 ? ProgramArguments.join(' ') : Program) ?? null
