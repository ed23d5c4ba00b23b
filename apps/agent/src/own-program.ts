import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

/** Whether this is the installed executable with its own runtime, rather than sources or a bundle of them. */
export const isExecutable: boolean = isSea()

/** The command that starts this program again, for a part of its work in a separate process. */
export function ownProgram(...args: string[]): { file: string; args: string[] } {
  if (isExecutable) return { file: process.execPath, args }
  // Beside this file, in the sources as in a bundle.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
  return { file: process.execPath, args: [fileURLToPath(new URL(`./main${ending}`, import.meta.url)), ...args] }
}
