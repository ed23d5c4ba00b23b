interface Member {
  readonly pid: number
  readonly parentPid: number
}

/**
 * A process and all processes below it. Windows keeps the number of a parent that has ended, and uses numbers again: only a
 * process that started after its parent is its child.
 */
export function treeOf(pid: number, all: readonly Member[], startedMs: (pid: number) => number): number[] {
  const tree = [pid]
  for (const parent of tree)
    for (const { pid: child, parentPid } of all)
      if (parentPid === parent && !tree.includes(child) && startedMs(child) >= startedMs(parent)) tree.push(child)
  return tree
}
