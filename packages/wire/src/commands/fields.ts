// Pieces that the payloads of several commands share. Server and agent check a payload with the same schemas.
import { z } from 'zod'

/** A line of text that a program of the machine may be given. */
export const line = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })

/** A place in the machine's file system: absolute, and without steps upwards. */
export const path = () =>
  line(4_096)
    .startsWith('/', { error: 'must be an absolute path' })
    .refine((text) => !text.split('/').includes('..'), { error: 'must not contain ..' })

/** A moment as ISO 8601 text. */
export const moment = () => z.iso.datetime({ offset: true })
