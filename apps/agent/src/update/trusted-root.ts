import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentStopped } from '../agent-stopped.ts'
import { readIfPresent, writeDurably } from '../durable-file.ts'

const file = 'trusted-root.json'

/** Where the agent stores the metadata of signed releases. */
export function trustFolder(dataDirectory: string): { folder: string; pin: string } {
  const folder = join(dataDirectory, 'releases')
  return { folder: join(folder, 'metadata'), pin: join(folder, file) }
}

/**
 * The root that all releases are verified from: the one this agent was installed with. It is pinned at the first start, so
 * that a later executable cannot replace it; a person can set a new one by naming its file.
 */
export async function trustedRoot(
  dataDirectory: string,
  embedded: string | undefined,
  givenFile: string | undefined,
): Promise<string | undefined> {
  const { folder, pin } = trustFolder(dataDirectory)
  const pinned = await readIfPresent(pin)
  const given = givenFile === undefined ? undefined : await readGiven(givenFile)
  const wanted = given ?? pinned ?? embedded
  if (wanted === undefined || wanted === pinned) return wanted
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeDurably(pin, wanted)
  return wanted
}

async function readGiven(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8')
    JSON.parse(text)
    return text
  } catch (error) {
    throw new AgentStopped(`cannot use the trusted root ${path}: ${error instanceof Error ? error.message : error}`)
  }
}
