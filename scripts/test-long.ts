// Runs one of the long tests: npm run test:long -- <ID> [--agents N] [--minutes N]
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const cases = readdirSync(`${root}/test/long`).flatMap((file) => {
  const id = /^([a-z]+\d+)-.*\.test\.ts$/.exec(file)?.[1]?.toUpperCase()
  return id === undefined ? [] : [{ id, file }]
})
const usage = `usage: npm run test:long -- <ID> [--agents N] [--minutes N]\nIDs: ${cases.map(({ id }) => id).join(', ')}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { agents: { type: 'string' }, minutes: { type: 'string' } },
})
const [id = ''] = positionals
const isNumber = (text: string | undefined) => text === undefined || /^\d+(\.\d+)?$/.test(text)
const found = cases.find((each) => each.id === id.toUpperCase())
if (found === undefined || !isNumber(values.agents) || !isNumber(values.minutes)) {
  console.error(usage)
  process.exit(2)
}
const env = { ...process.env, LONG_AGENTS: values.agents ?? '', LONG_MINUTES: values.minutes ?? '' }
const args = ['run', '--config', 'vitest.long.config.ts', `test/long/${found.file}`]
const { status } = spawnSync(process.execPath, [`${root}/node_modules/vitest/vitest.mjs`, ...args], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exit(status ?? 1)
