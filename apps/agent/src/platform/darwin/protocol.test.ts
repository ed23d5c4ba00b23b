// The protocol tests of the agent, with this platform given.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { testPlatform } from '../../testing/test-agent.ts'
import { darwinOn } from './darwin.ts'
import { fakeMac } from './testing/fake-mac.ts'
import { recorded } from './testing/recorded.ts'

const { ps: _, ...others } = recorded
const mac = await fakeMac(others, ':/usr/bin:/bin:/usr/sbin:/sbin')
// The processes are those of this machine, whose ps has another flag for the environment.
const ps = `#!/bin/sh
case "$*" in
  -axwwE*) exec /bin/ps axeww -o pid= -o command=;;
  *) exec /bin/ps "$@";;
esac
`
await writeFile(join(mac.mac.path.split(':')[0] ?? '', 'ps'), ps, { mode: 0o755 })
testPlatform.given = darwinOn({ ...mac.mac, root: '/' })
afterAll(() => mac[Symbol.asyncDispose]())

describe('the agent', async () => {
  await import('../../agent.test.ts')
})
describe('its commands', async () => {
  await import('../../commands/commands.test.ts')
})
