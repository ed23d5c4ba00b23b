import { checkoutAt, isTest, unitOf } from '../../test/shape/sources.ts'

/** Edges between names, with the names that each one reaches. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** What the imports of one checkout show. */
export interface Structure {
  /** Number of TypeScript files and lines, tests included. */
  readonly files: number
  readonly lines: number
  readonly units: Graph
  /** The areas of the service by group; areas without a group are under the empty name. */
  readonly groups: ReadonlyMap<string, readonly string[]>
  readonly areas: Graph
  /** Files that reach each other by imports, type imports included. */
  readonly circles: readonly (readonly string[])[]
  /** Folders with more than `crowded` files. */
  readonly largeFolders: readonly { readonly folder: string; readonly files: number }[]
}

export const crowded = 20
const areasFolder = 'packages/areas/src/'

export function structureOf(folder: string): Structure {
  const { sources, read, importsOf } = checkoutAt(folder)
  const ours = sources.filter((path) => /^(apps|packages)\//.test(path))
  const imports = ours.flatMap(importsOf).filter(({ to }) => /^(apps|packages)\//.test(to))
  const running = imports.filter(({ from }) => !isTest(from))
  const groupNames = groupsIn(ours)
  const areaOf = (path: string): string | undefined => {
    if (!path.startsWith(areasFolder)) return undefined
    const [first = '', second = '', third] = path.slice(areasFolder.length).split('/')
    if (second === '') return undefined
    if (!groupNames.has(first)) return first
    return third === undefined ? undefined : `${first}/${second}`
  }
  const areas = [...new Set(ours.flatMap((path) => areaOf(path) ?? []))].sort()
  return {
    files: sources.length,
    lines: sources.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0),
    units: graphOf([...new Set(ours.map(unitOf))].sort(), running, unitOf),
    groups: Map.groupBy(areas, (area) => (area.includes('/') ? (area.split('/')[0] ?? '') : '')),
    areas: graphOf(areas, running, areaOf),
    circles: circlesIn(graphOf(sources, sources.flatMap(importsOf), (path) => path)),
    largeFolders: largeFoldersOf(ours),
  }
}

/** Folders of areas that hold no file themselves. */
function groupsIn(paths: readonly string[]): ReadonlySet<string> {
  const parts = paths
    .filter((path) => path.startsWith(areasFolder))
    .map((path) => path.slice(areasFolder.length).split('/'))
  const holding = new Set(parts.filter((each) => each.length === 2).map(([first]) => first))
  return new Set(parts.flatMap(([first = '', second]) => (second !== undefined && !holding.has(first) ? [first] : [])))
}

function graphOf(
  names: readonly string[],
  imports: readonly { readonly from: string; readonly to: string }[],
  nameOf: (path: string) => string | undefined,
): Graph {
  const graph = new Map<string, Set<string>>(names.map((name) => [name, new Set()]))
  for (const { from, to } of imports) {
    const [one, other] = [nameOf(from), nameOf(to)]
    if (one !== undefined && other !== undefined && one !== other) graph.get(one)?.add(other)
  }
  return graph
}

function largeFoldersOf(paths: readonly string[]) {
  const folders = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/')))
  return [...folders]
    .map(([folder, inside]) => ({ folder, files: inside.length }))
    .filter(({ files }) => files > crowded)
    .sort((one, other) => other.files - one.files)
}

/** Without the edges that follow from longer paths. */
export function reduced(graph: Graph): Graph {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(graph.get(from) ?? [])].some((next) => {
      if (next === to) return true
      if (seen.has(next)) return false
      seen.add(next)
      return reaches(next, to, seen)
    })
  return new Map(
    [...graph].map(([name, nexts]) => [
      name,
      new Set([...nexts].filter((to) => ![...nexts].some((next) => next !== to && reaches(next, to)))),
    ]),
  )
}

/** The strongly connected parts of a graph that have more than one member (Tarjan). */
export function circlesIn(graph: Graph): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (name: string): void => {
    index.set(name, index.size)
    low.set(name, index.get(name) ?? 0)
    stack.push(name)
    for (const next of graph.get(name) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(name, Math.min(low.get(name) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(name) !== index.get(name)) return
    const circle = stack.splice(stack.indexOf(name))
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const name of graph.keys()) if (!index.has(name)) visit(name)
  return circles.sort((one, other) => other.length - one.length)
}
