import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

test.each(['install', 'uninstall'])('refuses %s where install.sh sets up the service', async (command) => {
  await expect(promisify(execFile)(process.execPath, [main, command])).rejects.toMatchObject({
    code: 3,
    stderr: 'install.sh installs the agent on this system\n',
  })
})

test.each(['install', 'uninstall'])('%s prints its usage when it is asked for help', async (command) => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, command, '--help'])
  expect(stdout).toMatch(/^Usage: muster-agent /)
})
