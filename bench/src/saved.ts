import { z } from 'zod'

/** A result as it is kept in `bench/results`. */
export const Saved = z.looseObject({
  scenario: z.string(),
  date: z.string(),
  command: z.string(),
  machine: z.string(),
  node: z.string(),
  loadBefore: z.number(),
  loadAfter: z.number(),
  tables: z.array(
    z.object({
      title: z.string(),
      head: z.array(z.string()),
      rows: z.array(z.array(z.union([z.string(), z.number()]))),
    }),
  ),
  bars: z.array(
    z.object({
      name: z.string(),
      measured: z.number(),
      limit: z.number(),
      sense: z.enum(['at least', 'at most']),
      unit: z.string(),
      isMet: z.boolean(),
    }),
  ),
})
export type Saved = z.infer<typeof Saved>
