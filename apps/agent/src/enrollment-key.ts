import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfPresent, syncDirectory, writeDurably } from './durable-file.ts'
import { enrollmentKeyBytesMax } from './limits.ts'

const enrollmentKeyFile = 'enrollment.key'

/**
 * Reads a key from standard input and stores it in the data folder until the machine is enrolled, so that it survives a
 * restart. It is never in an argument or the environment, where other users of the machine could see it.
 */
export async function takeEnrollmentKey(directory: string, input: NodeJS.ReadStream = process.stdin): Promise<void> {
  if (input.isTTY) process.stderr.write('Enrollment key: ')
  const key = await firstLine(input)
  if (key !== '') await keepEnrollmentKey(directory, key)
}

export async function keepEnrollmentKey(directory: string, key: string): Promise<void> {
  await writeDurably(join(directory, enrollmentKeyFile), `${key}\n`)
}

export async function keptEnrollmentKey(directory: string): Promise<string | undefined> {
  return (await readIfPresent(join(directory, enrollmentKeyFile)))?.trim() || undefined
}

export async function forgetEnrollmentKey(directory: string): Promise<void> {
  await rm(join(directory, enrollmentKeyFile), { force: true })
  await syncDirectory(directory)
}

async function firstLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  let text = ''
  for await (const piece of input) {
    text += piece
    if (text.includes('\n') || text.length > enrollmentKeyBytesMax) break
  }
  return (text.split('\n', 1)[0] ?? '').trim()
}
