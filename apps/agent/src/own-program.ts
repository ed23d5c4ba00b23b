import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

/** Whether this is the installed executable, which holds the runtime, rather than sources or a bundle of them. */
export const isExecutable: boolean = isSea()

/** How this very program is started again, for a part of its work that gets a process of its own. */
export function ownProgram(...args: string[]): { file: string; args: string[] } {
  if (isExecutable) return { file: process.execPath, args }
  // Beside this file, in the sources as in a bundle.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
  return { file: process.execPath, args: [fileURLToPath(new URL(`./main${ending}`, import.meta.url)), ...args] }
}
