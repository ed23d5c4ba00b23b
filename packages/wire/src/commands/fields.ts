// Fields that the payloads of several commands share. Server and agent check a payload with the same schemas.
import { z } from 'zod'

/** A line of text that can be passed to a program of the machine. */
export const line = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })

const startsWithDrive = /^[A-Za-z]:/

/** An absolute path in the machine's file system, without `..`: from `/`, or from a drive as in `C:\\Windows`. */
export const path = () =>
  line(4_096)
    .regex(/^(\/|[A-Za-z]:[\\/])/, { error: 'must be an absolute path on the device. Network paths are refused' })
    .refine((text) => !text.split(startsWithDrive.test(text) ? /[\\/]/ : '/').includes('..'), {
      error: 'must not contain ..',
    })

/** A time as ISO 8601 text. */
export const moment = () => z.iso.datetime({ offset: true })
