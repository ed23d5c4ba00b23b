import { readFileSync } from 'node:fs'
import type { z } from 'zod'

/** Reads a file of keys. @throws naming the file */
export function readKeyFile<T>(path: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new Error(`The key file ${path} cannot be used; it should be one that Muster made`, { cause })
  }
}
