// Parts of schemas that partners, organizations and sites share.
import { nameText } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const name = nameText()
/** Words joined by hyphens or underscores. Upper case is converted to lower case. */
export const slug = z
  .string()
  .trim()
  .toLowerCase()
  .min(1)
  .max(100)
  .regex(/^[a-z0-9]+([-_][a-z0-9]+)*$/, { error: 'must consist of letters, digits, hyphens and underscores' })
/** A maximum. Null removes the limit. */
export const cap = z.number().int().min(0).max(1_000_000).nullable()
