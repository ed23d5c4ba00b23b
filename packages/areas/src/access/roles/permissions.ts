import { hasPermission } from '@muster/kit/access.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { implement } from '../../operation.ts'
import { isPermission, permissionCatalog } from '../../vocabulary.contract.ts'
import { synonyms } from './grants.ts'
import { actions } from './permission-words.contract.ts'
import { permissions as contract } from './permissions.contract.ts'

const known = Object.keys(permissionCatalog).filter(isPermission)

/** The operations that require each permission, collected from their declarations. */
let guarded: Promise<ReadonlyMap<string, string[]>> | undefined

async function readDeclarations(): Promise<ReadonlyMap<string, string[]>> {
  // The full contract includes this file, so it can only be imported later.
  const { contract: all } = await import('../../contract.ts')
  const areas: Record<string, Record<string, Record<string, AnyEndpoint>>> = all
  const found = new Map<string, string[]>()
  for (const [area, resources] of Object.entries(areas)) {
    for (const [resource, operations] of Object.entries(resources)) {
      for (const [verb, { access }] of Object.entries(operations)) {
        if (access.permission === null) continue
        found.set(access.permission, [...(found.get(access.permission) ?? []), `${area}.${resource}.${verb}`])
      }
    }
  }
  return found
}

export default implement(contract, {
  async available() {
    const pairs = known.map((permission) => permission.split(':'))
    const byResource = Map.groupBy(pairs, ([resource = '']) => resource)
    const resources = [...byResource].map(([resource, its]) => ({
      resource,
      actions: its.map(([, action = '']) => action),
    }))
    return { resources, actions: [...actions], synonyms }
  },

  async catalog({ caller }) {
    guarded ??= readDeclarations()
    const operations = await guarded
    const data = known.map((permission) => {
      const [resource = '', action = ''] = permission.split(':')
      return {
        permission,
        resource,
        action,
        description: permissionCatalog[permission],
        operations: operations.get(permission) ?? [],
        assignable: hasPermission(caller, permission),
      }
    })
    return { data }
  },
})
