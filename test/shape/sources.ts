import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

const skipped = new Set(['node_modules', 'dist', '.git', '.runtime', '.muster', '.turbo', 'coverage'])

/** Reads one checkout of the project. Paths are relative to its root. */
export function checkoutAt(folder: string) {
  /** All files below a folder. */
  const filesIn = (below: string): string[] =>
    readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
      const path = join(below, entry.name)
      if (skipped.has(entry.name)) return []
      return entry.isDirectory() ? filesIn(path) : [path]
    })
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  /** The imports of a file; imports of workspace packages are resolved to their files. */
  const importsOf = (path: string): Import[] =>
    [...read(path).matchAll(statement)].map(([, type, fixed, dynamic]) => ({
      from: path,
      to: resolveImport(path, fixed ?? dynamic ?? ''),
      onlyTypes: type !== undefined,
    }))
  /** The TypeScript files that make up Muster, tests included. */
  const sources = ['apps', 'packages', 'bench', 'scripts', 'test'].flatMap(filesIn).filter(isTypeScript)
  return { filesIn, read, importsOf, sources }
}

const statement = /^(?:import|export)\s(?:(type)\s)?(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm

export const { filesIn, read, importsOf, sources } = checkoutAt(root)

/** Whether a file is a test, or used only by tests. */
export function isTest(path: string): boolean {
  return /\.(test|bench|stage)\.ts$/.test(path) || /^(test|packages\/testkit)\/|\/testing\//.test(path)
}

/** The lines of a file that are not comments, with their numbers. */
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
