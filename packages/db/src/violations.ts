import { NoResultError } from 'kysely'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
const constraintOf = (error: unknown): unknown =>
  error instanceof Error && 'constraint' in error ? error.constraint : undefined

/** Did a statement fail because this unique index already holds the value? */
export const isTaken = (error: unknown, index: string): boolean =>
  codeOf(error) === '23505' && constraintOf(error) === index

/** Did a statement fail because other rows still point at the one to go? */
export const isStillUsed = (error: unknown): boolean => codeOf(error) === '23503'

/** Did a statement find no row, although one was there before? */
export const hasVanished = (error: unknown): boolean => error instanceof NoResultError
