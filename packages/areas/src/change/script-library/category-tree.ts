import { invalid } from '@muster/kit/errors.ts'

const depthMax = 5

interface Node {
  readonly id: string
  readonly parentId: string | null
}

/**
 * @param nodes all categories of one owner
 * @param id the category that gets the parent; null for a new one
 * @throws VALIDATION_ERROR for an unknown parent, a cycle, or a tree that gets too deep
 */
export function requireSoundPlace(nodes: readonly Node[], id: string | null, parentId: string | null): void {
  if (parentId === null) return
  const known = new Map(nodes.map((node) => [node.id, node]))
  if (!known.has(parentId)) throw invalid('parentId: the owner has no such category')
  const above: string[] = []
  for (let at: string | null = parentId; at !== null; at = known.get(at)?.parentId ?? null) above.push(at)
  if (id !== null && above.includes(id)) throw invalid('parentId: a category cannot be in itself')
  if (above.length + (id === null ? 1 : heightOf(nodes, id)) > depthMax)
    throw invalid(`parentId: categories are at most ${depthMax} deep`)
}

/** How many levels a category and those in it have. */
function heightOf(nodes: readonly Node[], id: string): number {
  let level = [id]
  for (let height = 0; ; height++) {
    if (level.length === 0) return height
    const parents = new Set(level)
    level = nodes.flatMap((node) => (node.parentId !== null && parents.has(node.parentId) ? [node.id] : []))
  }
}
