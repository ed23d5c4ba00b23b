import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../testing/test-agent.ts'
import { darwin } from '../darwin/darwin.ts'
import { linux } from '../linux/linux.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await folder[Symbol.asyncDispose]()
})

/** Runs JavaScript in a separate process, as another user if one is given. */
async function started(script: string, uid?: number): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...(uid !== undefined && { uid, gid: uid }),
  })
  children.push(child)
  if (child.stdout === null) throw new Error('unreachable: its output is piped')
  const [said] = await once(child.stdout, 'data')
  return { child, said: String(said) }
}
const holder = (system: string, directory: string) => `
  import { ${system} } from ${JSON.stringify(new URL(`../${system}/${system}.ts`, import.meta.url).href)}
  const release = await ${system}.claim(${JSON.stringify(directory)}, 'agent')
  console.log(release === undefined ? 'refused' : 'held')
  setInterval(() => release, 1000)`
const claims = async () => (await readdir(folder.path)).filter((name) => name.endsWith('.claim'))

describe.each([['linux', linux.claim] as const, ['darwin', darwin.claim] as const])(
  'the claim of a data folder on %s',
  (system, claim) => {
    test('has one holder, and is free again after its release', async () => {
      const release = await claim(folder.path, 'agent')
      expect(release).toBeDefined()
      expect(await claim(folder.path, 'agent')).toBeUndefined()
      const watchdog = await claim(folder.path, 'watchdog')
      expect(watchdog).toBeDefined()
      release?.()
      const again = await claim(folder.path, 'agent')
      expect(again).toBeDefined()
      again?.()
      watchdog?.()
    })

    test('works in a folder whose path is longer than a socket address', async () => {
      const deep = join(folder.path, 'x'.repeat(90), 'y'.repeat(90))
      await mkdir(deep, { recursive: true })
      const release = await claim(deep, 'agent')
      expect(release).toBeDefined()
      expect(await claim(deep, 'agent')).toBeUndefined()
      release?.()
      const again = await claim(deep, 'agent')
      expect(again).toBeDefined()
      again?.()
    })

    test('of a killed process is free, and its file is removed', async () => {
      const { child, said } = await started(holder(system, folder.path))
      expect(said).toBe('held\n')
      expect(await claim(folder.path, 'agent')).toBeUndefined()
      child.kill('SIGKILL')
      await once(child, 'exit')
      expect(await claims()).toHaveLength(1)
      const release = await claim(folder.path, 'agent')
      expect(release).toBeDefined()
      expect(await claims()).toHaveLength(1)
      release?.()
      expect(await claims()).toEqual([])
    })

    test('of a hung process is still held', async () => {
      const { child } = await started(holder(system, folder.path))
      child.kill('SIGSTOP')
      expect(await claim(folder.path, 'agent')).toBeUndefined()
    })

    test('is not blocked by files from a power failure or a copy of the folder', async () => {
      await writeFile(join(folder.path, 'agent-0123456789abcdef.claim'), '')
      const release = await claim(folder.path, 'agent')
      expect(release).toBeDefined()
      release?.()
    })

    test('never has two holders when many claim at once, and one in the end', async () => {
      for (let round = 0; round < 10; round++) {
        const releases = await Promise.all(Array.from({ length: 6 }, () => claim(folder.path, 'agent')))
        const held = releases.filter((release) => release !== undefined)
        expect(held.length).toBeLessThanOrEqual(1)
        const last = held[0] ?? (await claim(folder.path, 'agent'))
        expect(last).toBeDefined()
        last?.()
      }
    })

    test.runIf(process.getuid?.() === 0)('cannot be taken or seen by another user', async () => {
      const nobody = 65_534
      const name = createHash('sha256')
        .update(await realpath(folder.path))
        .digest('hex')
      const { said } = await started(
        `
      import { createServer, createConnection } from 'node:net'
      import { readdirSync } from 'node:fs'
      const listens = (path) => new Promise((done) => createServer().on('error', (e) => done(e.code)).listen(path, () => done('listens')))
      const own = await listens(${JSON.stringify(join(folder.path, 'agent-ffffffffffffffff.claim'))})
      const abstract = await listens('\\0muster-agent-${name}')
      let seen; try { seen = readdirSync(${JSON.stringify(folder.path)}) } catch (error) { seen = error.code }
      console.log([own, abstract, seen].join(' '))
      setInterval(() => {}, 1000)`,
        nobody,
      )
      expect(said).toBe('EACCES listens EACCES\n')
      const release = await claim(folder.path, 'agent')
      expect(release).toBeDefined()
      release?.()
    })
  },
)
