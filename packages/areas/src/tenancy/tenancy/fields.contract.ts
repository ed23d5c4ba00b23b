// Pieces of schemas that partners, organizations and sites have in common.
import { nameText } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const name = nameText()
/** Lower-case words joined by hyphens or underscores; other case is forgiven. */
export const slug = z
  .string()
  .trim()
  .toLowerCase()
  .min(1)
  .max(100)
  .regex(/^[a-z0-9]+([-_][a-z0-9]+)*$/, { error: 'may hold letters, digits, hyphens and underscores' })
/** How many at most; null takes the limit away. */
export const cap = z.number().int().min(0).max(1_000_000).nullable()
