import { z } from 'zod'
import { ToolFailure } from '../../tool-failure.ts'
import { type Mac, run } from './mac.ts'

const Item: z.ZodType<Record<string, unknown>> = z.record(z.string(), z.unknown())
export type ProfileItem = Record<string, unknown>
const Report = z.record(z.string(), z.array(Item).catch([]))

/** A report of `system_profiler`, by data type. */
export type Profile = (dataType: string) => ProfileItem[]

/** @throws ToolFailure when it takes too long: an inventory without its applications would look as if they were removed */
export async function readProfile(mac: Mac, dataTypes: readonly string[]): Promise<Profile> {
  const text = await run(mac, 'system_profiler', ['-json', ...dataTypes]).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      if (error instanceof ToolFailure && error.code === 'UNSUPPORTED_PLATFORM') return ''
      throw error
    },
  )
  return parseProfile(text)
}

/** A type that is missing, or a damaged report, has no items. */
export function parseProfile(text: string): Profile {
  try {
    const report = Report.safeParse(JSON.parse(text))
    return (dataType) => (report.success ? (report.data[dataType] ?? []) : [])
  } catch {
    return () => []
  }
}

/** The object in a field of an item. */
export function partOf(item: ProfileItem | undefined, field: string): ProfileItem {
  const part = Item.safeParse(item?.[field])
  return part.success ? part.data : {}
}
