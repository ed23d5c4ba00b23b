import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfPresent, syncDirectory, writeDurably } from './durable-file.ts'
import { enrolmentKeyBytesMax } from './limits.ts'

const enrolmentKeyFile = 'enrollment.key'

/**
 * Takes a key from standard input and keeps it in the data folder until the machine is enrolled, so that a restart before
 * that does not lose it. It was no argument and stands in no environment: other users of the machine never see it.
 */
export async function takeEnrolmentKey(directory: string, input: NodeJS.ReadStream = process.stdin): Promise<void> {
  if (input.isTTY) process.stderr.write('Enrollment key: ')
  const key = await firstLine(input)
  if (key !== '') await writeDurably(join(directory, enrolmentKeyFile), `${key}\n`)
}

export async function keptEnrolmentKey(directory: string): Promise<string | undefined> {
  return (await readIfPresent(join(directory, enrolmentKeyFile)))?.trim() || undefined
}

export async function forgetEnrolmentKey(directory: string): Promise<void> {
  await rm(join(directory, enrolmentKeyFile), { force: true })
  await syncDirectory(directory)
}

async function firstLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  let text = ''
  for await (const piece of input) {
    text += piece
    if (text.includes('\n') || text.length > enrolmentKeyBytesMax) break
  }
  return (text.split('\n', 1)[0] ?? '').trim()
}
