import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

const skipped = new Set(['node_modules', 'dist', '.git', '.runtime', '.muster', '.turbo', 'coverage'])

/** Paths of all files below a folder of the project, relative to its root. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (skipped.has(entry.name)) return []
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

/** The TypeScript files that make up Muster, tests included. */
export const sources = ['apps', 'packages', 'bench', 'scripts', 'test'].flatMap(filesIn).filter(isTypeScript)

/** Whether a file is a test, or only of use to tests. */
export function isTest(path: string): boolean {
  return /\.(test|bench)\.ts$/.test(path) || /^(test|packages\/testkit)\/|\/testing\//.test(path)
}

/** The content of a file of the project. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** A file's lines without those that are comments, each with its number. */
export function codeLines(path: string): { number: number; text: string }[] {
  return read(path)
    .split('\n')
    .map((text, index) => ({ number: index + 1, text }))
    .filter(({ text }) => !/^\s*(\/\/|\/?\*)/.test(text))
}

export interface Import {
  readonly from: string
  /** The imported file, relative to the root, or the name of a package outside. */
  readonly to: string
  readonly onlyTypes: boolean
}

const statement = /^(?:import|export)\s(?:(type)\s)?(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm

/** What a file imports, imports of our packages resolved to their files. */
export function importsOf(path: string): Import[] {
  return [...read(path).matchAll(statement)].map(([, type, fixed, dynamic]) => ({
    from: path,
    to: resolveImport(path, fixed ?? dynamic ?? ''),
    onlyTypes: type !== undefined,
  }))
}

function resolveImport(from: string, name: string): string {
  if (name.startsWith('.')) return relative(root, join(root, from, '..', name))
  const [, unit, file] = /^@muster\/([^/]+)\/(.+)$/.exec(name) ?? []
  return unit && file ? `packages/${unit}/src/${file}` : name
}

/** The package or app that a path belongs to, such as `packages/kit`, or the folder at the root. */
export function unitOf(path: string): string {
  return /^(?:apps|packages)\/[^/]+/.exec(path)?.[0] ?? path.split('/')[0] ?? path
}

function isTypeScript(path: string): boolean {
  return /\.tsx?$/.test(path)
}
