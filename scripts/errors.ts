// Writes docs/errors.md from the tables of codes in the code.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { errorReference } from './error-reference/page.ts'

await writeFile(fileURLToPath(new URL('../docs/errors.md', import.meta.url)), errorReference())
