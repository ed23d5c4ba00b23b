import { crowded, type Graph, reduced, type Structure } from './graph.ts'

/** The page that shows a structure: figures, pictures and lists. */
export function structurePage(title: string, structure: Structure): string {
  const { files, lines, units, groups, areas, circles, largeFolders } = structure
  const edges = (graph: Graph) => [...graph.values()].reduce((sum, nexts) => sum + nexts.size, 0)
  return `# ${title}

Written by \`npm run structure\` from the imports of all TypeScript files. Do not edit.

| figure | value |
|---|---|
| TypeScript files, tests included | ${files} |
| lines | ${lines} |
| packages and apps | ${units.size} |
| groups of areas | ${groups.has('') ? 0 : groups.size} |
| areas | ${areas.size} |
| imports between areas | ${edges(areas)} |
| circles of files, type imports included | ${circles.length} |
| folders with more than ${crowded} files | ${largeFolders.length} |

## Packages and apps

An arrow means "imports". Arrows that follow from others are left out. Tests do not count.

${picture(reduced(units), (name) => name.replace(/^(apps|packages)\//, ''), new Map())}

## Areas

${picture(reduced(areas), (name) => name.split('/').at(-1) ?? name, groups)}

${list(
  [...areas].filter(([, nexts]) => nexts.size > 0),
  ([name, nexts]) =>
    `\`${name}\` imports ${[...nexts]
      .sort()
      .map((next) => `\`${next}\``)
      .join(', ')}`,
)}

## Circles of files

${list(circles, (circle) => `${circle.length} files: ${circle.join(', ')}`)}

## Folders with more than ${crowded} files

${list(largeFolders, ({ folder, files: count }) => `${folder}: ${count}`)}
`
}

function list<T>(items: readonly T[], told: (item: T) => string): string {
  return items.length === 0 ? 'None.' : items.map((item) => `- ${told(item)}`).join('\n')
}

/** A Mermaid flowchart. Names of nodes are numbered, because Mermaid reserves some words. */
function picture(
  graph: Graph,
  labelOf: (name: string) => string,
  groups: ReadonlyMap<string, readonly string[]>,
): string {
  const names = [...graph.keys()]
  const node = (name: string) => `n${names.indexOf(name)}["${labelOf(name)}"]`
  const grouped = [...groups].filter(([group]) => group !== '')
  const inGroups = new Set(grouped.flatMap(([, members]) => members))
  const boxes = grouped.flatMap(([group, members]) => [
    `  subgraph ${group}`,
    ...members.map((name) => `    ${node(name)}`),
    '  end',
  ])
  const alone = names.filter((name) => !inGroups.has(name)).map((name) => `  ${node(name)}`)
  const arrows = [...graph].flatMap(([name, nexts]) =>
    [...nexts].sort().map((next) => `  n${names.indexOf(name)} --> n${names.indexOf(next)}`),
  )
  return ['```mermaid', 'flowchart LR', ...boxes, ...alone, ...arrows, '```'].join('\n')
}
