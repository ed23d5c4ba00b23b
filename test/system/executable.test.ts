// What the build changes in the runtime of the agent, with the runtime of these tests.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropExports } from '../../scripts/agent-build/exports.ts'
import { writeExecutable } from '../../scripts/agent-build/stamp.ts'

const run = promisify(execFile)

describe('the runtime of the agent', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-runtime-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.skipIf(process.platform !== 'linux' || process.arch !== 'x64')(
    'runs without its exports, and shares the environment with its libraries',
    async () => {
      const given = await readFile(process.execPath)
      const exported = Buffer.from('\0_ZN2v87Isolate10GetCurrentEv\0')
      const changed = dropExports(given)
      expect(given.includes(exported)).toBe(true)
      // Of a runtime with debug symbols, the name remains in those.
      expect(countOf(changed, exported)).toBe(countOf(given, exported) - 1)
      const path = join(folder, 'runtime')
      await writeExecutable(path, changed)
      const program = `process.env.TZ = 'Asia/Tokyo'
        const { execFileSync } = require('node:child_process')
        const { lookup } = require('node:dns')
        const zone = execFileSync('date', ['+%z']).toString().trim()
        lookup('localhost', (error) => console.log(JSON.stringify({ zone, error, offset: new Date().getTimezoneOffset() })))`
      const { stdout } = await run(path, ['-e', program], { env: { PATH: '/usr/bin:/bin' } })
      expect(JSON.parse(stdout)).toEqual({ zone: '+0900', error: null, offset: -540 })
    },
  )

  it('leaves executables of other systems as they are', () => {
    for (const start of ['MZ', '\u00cf\u00fa\u00ed\u00fe']) {
      const other = Buffer.alloc(128)
      other.write(start, 'latin1')
      expect(dropExports(other)).toBe(other)
    }
  })
})

function countOf(file: Buffer, part: Buffer): number {
  let count = 0
  for (let at = file.indexOf(part); at >= 0; at = file.indexOf(part, at + 1)) count++
  return count
}
