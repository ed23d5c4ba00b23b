import { z } from 'zod'

/** An absolute path on Linux, macOS or Windows, without `..` and outside of the network. */
export const factPath = z
  .string()
  .max(1_024)
  .regex(/^(?!.*[\\/]\.\.(?:[\\/]|$))(?:\/|[A-Za-z]:[\\/])\P{Cc}*$/u, {
    error: 'must be an absolute path of a file, without `..`',
  })
