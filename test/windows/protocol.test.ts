// The agent's own protocol tests, in its Windows executable under wine.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import { windowsTarget } from './release.ts'
import { Wine, withoutWine } from './wine.ts'

const entry = fileURLToPath(new URL('./protocol-program.ts', import.meta.url))
const vitest = fileURLToPath(new URL('./vitest-stand-in.ts', import.meta.url))

describe.skipIf(withoutWine !== undefined)('the protocol tests of the agent', () => {
  it('hold on Windows', async () => {
    const wine = await Wine.open('muster-protocol')
    const folder = wine.path('muster-protocol')
    await mkdir(folder)
    const to = join(folder, windowsTarget().executable)
    await buildExecutable({
      target: windowsTarget(),
      release: { version: '1.0.0' },
      to,
      entry,
      standIns: { vitest },
    })
    await wine.run(to, ['run-tests', 'C:\\muster-protocol\\ended.json'])
    const ended: { name: string; error?: string }[] = JSON.parse(await readFile(join(folder, 'ended.json'), 'utf8'))
    expect(ended.filter(({ error }) => error !== undefined)).toEqual([])
    expect(ended.map(({ name }) => name)).toContain('resends unacknowledged frames with the same numbers, oldest first')
    await wine.stop()
  })
})
