import type { DeploymentKind } from '../../background/deployment-kind.ts'

/** The kind of an order. */
export function kindOf(kinds: readonly DeploymentKind[], order: unknown): DeploymentKind {
  const name: unknown = Object(order).kind
  const found = kinds.find(({ kind }) => kind === name)
  if (found === undefined) throw new TypeError(`No kind of deployments is named ${String(name)}`)
  return found
}
