import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { linuxScripts } from './catalog/linux.ts'
import { pythonScripts } from './catalog/python.ts'
import { windowsScripts } from './catalog/windows.ts'
import { idOfKey } from './key-id.ts'
import { CatalogScript } from './script.ts'
import { contentOf } from './script-file.ts'

export interface SystemScript extends z.infer<typeof CatalogScript> {
  /** A UUID of version 5, made of the key. */
  id: string
  content: string
  /** Of the content in UTF-8, in hexadecimal digits. */
  sha256: string
}

/** The scripts that come with Muster, in the order of their keys. */
export function systemScripts(): SystemScript[] {
  return [...linuxScripts, ...pythonScripts, ...windowsScripts]
    .map((entry) => {
      const script = CatalogScript.parse(entry)
      const content = contentOf(script.key, script.language)
      return { id: idOfKey(script.key), ...script, content, sha256: createHash('sha256').update(content).digest('hex') }
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
