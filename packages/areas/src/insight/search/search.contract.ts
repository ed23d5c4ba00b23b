import { csv, get, id, limit, signedIn } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const searchTypes = ['device', 'user', 'organization', 'script', 'alert'] as const
const type = z.enum(searchTypes)

/** A match, with the fields that a list of results shows. */
export const Hit = z.object({
  type,
  id: id(),
  title: z.string(),
  subtitle: z.string().nullable(),
  orgId: id().nullable(),
  orgName: z.string().nullable(),
  /** From 0 to 1. 1 is an exact match. */
  score: z.number(),
})
export type Hit = z.infer<typeof Hit>

export const search = {
  find: get('/search', {
    summary:
      'Search devices, users, organizations, scripts and alerts by name, best match first. Misspellings are tolerated',
    access: signedIn(),
    input: z.object({
      q: z.string().trim().min(1).max(200),
      types: csv(type).optional(),
      limit: limit(100, 20),
    }),
    output: z.object({ query: z.string(), data: z.array(Hit) }),
  }),
}
