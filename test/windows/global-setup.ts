// One Muster for all tests of the Windows agent, and one executable. They are made when the first test asks for them:
// what runs before in the same run is not slowed down by them.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stack } from '@muster/stack/stack.ts'
import type { TestProject } from 'vitest/node'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import type { Whereabouts } from '../system/administrator.ts'
import { Fleet } from '../system/fleet.ts'
import { version, windowsTarget } from './release.ts'

export interface UnderTest {
  readonly stack: Whereabouts
  /** The executable of the agent, with the version of these tests. */
  readonly executable: string
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with `UnderTest`. */
    windowsTests: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-windows-'))
  let fleet: Promise<Fleet> | undefined
  let executable: Promise<string> | undefined
  const make = async (): Promise<UnderTest> => {
    fleet ??= Fleet.start()
    executable ??= built(folder)
    const [{ stack }, path] = await Promise.all([fleet, executable])
    return { stack: whereaboutsOf(stack), executable: path }
  }
  const server = createServer((_, response) => {
    make().then(
      (shared) => response.end(JSON.stringify(shared)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  project.provide('windowsTests', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    await Promise.allSettled([executable])
    await (await fleet?.catch(() => undefined))?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function built(folder: string): Promise<string> {
  const to = join(folder, windowsTarget().executable)
  await buildExecutable({ target: windowsTarget(), release: { version }, to })
  return to
}

function whereaboutsOf({ urls: { admin, ingest }, stores }: Stack): Whereabouts {
  const { owner, system } = stores.urls
  const { folder, secretFiles } = stores
  return {
    urls: { admin, ingest },
    stores: {
      urls: { owner, system },
      folder: { path: folder.path },
      secretFiles: { keysFile: secretFiles.keysFile },
    },
  }
}
