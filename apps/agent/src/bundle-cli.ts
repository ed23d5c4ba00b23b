/*
 * Builds the JavaScript bundle of an installed agent: `node src/bundle-cli.ts <folder>`. A process that loads only what the
 * agent needs uses two thirds of the memory of one that strips types from its sources while it loads them.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'rolldown'

/** Bundles of earlier sources that are kept for agents that still run from them. */
const keptBundles = 3

const source = (name: string) => fileURLToPath(new URL(name, import.meta.url))

// In a bundle the socket library is not a separate module, so the import that otherwise costs memory is free.
const plainImport: Plugin = {
  name: 'plain-import-of-ws',
  load(id) {
    return id.endsWith('/agent/src/websocket.ts') ? `export { WebSocket, WebSocketServer } from 'ws'` : null
  },
}

/** Names stay, for the traces of errors. */
const withoutSpace = { mangle: false, compress: false, codegen: { removeWhitespace: true } }

/** Writes the bundle into a folder that appears only when it is complete. */
export async function bundle(folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  await build({
    input: source('main.ts'),
    platform: 'node',
    logLevel: 'warn',
    plugins: [plainImport],
    output: { dir: unfinished, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  })
  // Another process may have written the same content first.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }))
  await removeOld(dirname(folder), basename(folder))
}

/**
 * Writes a program and all its modules as one script, for an executable.
 * @param alias files that take the place of modules
 */
export async function bundleScript(
  entry: string,
  file: string,
  platform: string,
  alias: Readonly<Record<string, string>> = {},
): Promise<void> {
  await build({
    input: entry,
    platform: 'node',
    logLevel: 'warn',
    plugins: [plainImport],
    resolve: { alias },
    // An executable has no files beside it, so nothing it starts may be located by path.
    // The code of other systems is left out.
    transform: {
      define: { 'import.meta.url': '"executable"', 'process.platform': JSON.stringify(platform) },
      // The runtime does not know `using` yet.
      target: 'node22',
    },
    output: { file, format: 'cjs', codeSplitting: false, minify: withoutSpace },
  })
  await writeFile(file, asciiOf(await readFile(file, 'utf8')))
}

/** The runtime keeps a text with any other character in two bytes for each. */
function asciiOf(script: string): string {
  return script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

async function removeOld(directory: string, current: string): Promise<void> {
  const others = (await readdir(directory)).filter((name) => name !== current).map((name) => join(directory, name))
  const aged = await Promise.all(others.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })))
  const old = aged.sort((a, b) => b.at - a.at).slice(keptBundles)
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })))
}

const [, script, folder] = process.argv
if (script === fileURLToPath(import.meta.url) && folder !== undefined) await bundle(folder)
