// Runs the agent from a bundle of its sources, rebuilt when they have changed. Plain JavaScript, because the runtime
// keeps its type stripper, about 30 MB, in every process that has loaded a single TypeScript file.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

function fingerprint() {
  const hash = createHash('sha256')
  hash.update(readFileSync(join(here, 'package.json')))
  for (const folder of ['src', '../../packages/wire/src']) {
    const names = readdirSync(join(here, folder), { recursive: true }).filter((name) => /(?<!\.test)\.ts$/.test(name))
    for (const name of names.sort()) hash.update(name).update(readFileSync(join(here, folder, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

const bundle = join(here, 'dist', fingerprint())
if (!existsSync(bundle)) {
  const made = spawnSync(process.execPath, [join(here, 'src/bundle-cli.ts'), bundle], { encoding: 'utf8' })
  if (made.status !== 0)
    process.stderr.write(
      `warning: cannot build the bundle; running from sources, which needs more memory: ${made.stderr}\n`,
    )
}
const main = existsSync(bundle) ? join(bundle, 'main.mjs') : join(here, 'src/main.ts')
await import(pathToFileURL(main).href)
