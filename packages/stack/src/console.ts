import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode, StackError } from './failure.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const app = join(project, 'apps/console')
const built = join(app, 'dist')
const stampName = 'built-from'

/** Builds the console unless it was built from the current sources. @returns whether it was built */
export async function ensureConsole(): Promise<boolean> {
  const wanted = await fingerprint()
  if ((await readFile(join(built, stampName), 'utf8').catch(() => '')) === wanted) return false
  const fresh = `${built}.${process.pid}`
  const aside = `${fresh}.old`
  try {
    await build(fresh)
    await writeFile(join(fresh, stampName), wanted)
    // Two commands may build at once; either result is valid.
    if (existsSync(built)) await rename(built, aside).catch(ignoreMissing)
    await rename(fresh, built).catch(ignoreExisting)
  } finally {
    await Promise.all([fresh, aside].map((folder) => rm(folder, { recursive: true, force: true })))
  }
  return true
}

const ignoreMissing = (error: unknown) => {
  if (errorCode(error) !== 'ENOENT') throw error
}
const ignoreExisting = (error: unknown) => {
  if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
}

/** One hash over all inputs of the build. */
async function fingerprint(): Promise<string> {
  const files = [
    join(project, 'package-lock.json'),
    ...(await filesBelow(app)),
    ...(await filesBelow(join(project, 'packages/areas/src'))).filter((path) => /\.(contract|rules)\.ts$/.test(path)),
    ...(await filesBelow(join(project, 'packages/kit/src'))),
  ]
  const hash = createHash('sha256')
  for (const path of files.sort()) hash.update(`${relative(project, path)}\0`).update(await readFile(path))
  return hash.digest('hex')
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(dist(\.\d+[^/]*)?|node_modules)\//.test(path))
}

function build(into: string): Promise<void> {
  const from = createRequire(join(app, 'package.json'))
  let vite: string
  try {
    vite = join(from.resolve('vite/package.json'), '../bin/vite.js')
  } catch {
    throw new StackError(
      'The console is not built, and the development dependencies are missing. Run `npm ci`, then start again.',
    )
  }
  return new Promise((resolve, reject) => {
    const args = [vite, 'build', '--outDir', into, '--emptyOutDir', '--logLevel', 'error']
    // Independent of the caller's NODE_ENV: with another value, React's much larger development version would be included.
    const env = { ...process.env, NODE_ENV: 'production' }
    const child = spawn(process.execPath, args, { cwd: app, env, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new StackError(`The console could not be built:  ${said.trim() || `exit code ${code}`}`))
    })
  })
}
