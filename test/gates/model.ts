// A short model of organizations, sites and roles. Case B2 compares the service with it.
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { sites } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { AppError } from '@muster/kit/errors.ts'
import { call } from '@muster/testkit/call.ts'
import type { World } from '@muster/testkit/world.ts'
import fc from 'fast-check'

export const organizationsMax = 5

interface Thing {
  readonly name: string
  readonly gone: boolean
  /** The organization of a site or the parent of a role, as an index into all that were ever created. */
  readonly of: number | null
}
type Kind = 'org' | 'site' | 'role'
/** Everything that was ever created, in order of creation. */
export type State = Readonly<Record<Kind, readonly Thing[]>>
export type Ids = Record<Kind, string[]>

export type Step =
  | { readonly do: 'createOrg' | 'createRole'; readonly name: string; readonly of: number }
  | { readonly do: 'createSite'; readonly name: string; readonly of: number }
  | { readonly do: 'renameOrg' | 'renameSite' | 'renameRole'; readonly at: number; readonly name: string }
  | { readonly do: 'deleteOrg' | 'deleteSite' | 'deleteRole'; readonly at: number }
  | { readonly do: 'moveRole'; readonly at: number; readonly of: number }

export interface Outcome {
  readonly status: number
  readonly after: State
}

const changed = (state: State, kind: Kind, at: number, change: Partial<Thing>): State => ({
  ...state,
  [kind]: state[kind].map((thing, index) => (index === at ? { ...thing, ...change } : thing)),
})
const added = (state: State, kind: Kind, thing: Thing): State => ({ ...state, [kind]: [...state[kind], thing] })
const live = (state: State, kind: Kind) => state[kind].filter(({ gone }) => !gone)
const isTaken = (state: State, kind: Kind, name: string, except = -1) =>
  state[kind].some((thing, at) => !thing.gone && thing.name === name && at !== except)
const isAncestor = (state: State, role: number, of: number | null): boolean =>
  of !== null && (of === role || isAncestor(state, role, state.role[of]?.of ?? null))

const kindOf = (step: Step): Kind => (step.do.endsWith('Org') ? 'org' : step.do.endsWith('Site') ? 'site' : 'role')

const nothing = Number.MAX_SAFE_INTEGER

/** A step refers only to what exists when it starts, not to what the other actor creates at the same time. */
export function asOfStart(state: State, step: Step): Step {
  const there = (kind: Kind, at: number) => (at < state[kind].length ? at : nothing)
  const at = 'at' in step ? { at: there(kindOf(step), step.at) } : {}
  const of = 'of' in step ? { of: there(step.do === 'createSite' ? 'org' : 'role', step.of) } : {}
  return { ...step, ...at, ...of }
}

/** The status and the state that a step should lead to. */
export function expected(state: State, step: Step): Outcome {
  const refused = (status: number): Outcome => ({ status, after: state })
  const kind = kindOf(step)
  switch (step.do) {
    case 'createOrg':
      if (live(state, 'org').length >= organizationsMax || isTaken(state, 'org', step.name)) return refused(409)
      return { status: 201, after: added(state, 'org', { name: step.name, gone: false, of: null }) }
    case 'createSite':
      if (state.org[step.of]?.gone !== false) return refused(403)
      return { status: 201, after: added(state, 'site', { name: step.name, gone: false, of: step.of }) }
    case 'createRole': {
      const parent = state.role[step.of]
      if (parent?.gone === true) return refused(404)
      if (isTaken(state, 'role', step.name)) return refused(409)
      const of = parent === undefined ? null : step.of
      return { status: 201, after: added(state, 'role', { name: step.name, gone: false, of }) }
    }
    case 'moveRole': {
      const parent = state.role[step.of]
      if (state.role[step.at]?.gone !== false) return refused(404)
      if (parent !== undefined && isAncestor(state, step.at, step.of)) return refused(400)
      if (parent?.gone === true) return refused(404)
      return { status: 200, after: changed(state, 'role', step.at, { of: parent === undefined ? null : step.of }) }
    }
    default: {
      const thing = state[kind][step.at]
      if (thing?.gone !== false) return refused(404)
      if (kind === 'site' && state.org[thing.of ?? -1]?.gone !== false) return refused(403)
      if ('name' in step) {
        if (kind !== 'site' && isTaken(state, kind, step.name, step.at)) return refused(409)
        return { status: 200, after: changed(state, kind, step.at, { name: step.name }) }
      }
      if (kind === 'role' && state.role.some(({ gone, of }) => !gone && of === step.at)) return refused(400)
      return { status: 200, after: changed(state, kind, step.at, { gone: true }) }
    }
  }
}

const nowhere = '00000000-0000-4000-8000-000000000000'

/** Runs a step against the service. @returns the status, and the id of what it created */
export async function done(
  { partnerAdmin: who }: World,
  ids: Ids,
  step: Step,
): Promise<{ status: number; made?: string }> {
  const id = 'at' in step ? (ids[kindOf(step)][step.at] ?? nowhere) : nowhere
  const roleAt = (at: number) => ids.role[at] ?? null
  const does = {
    createOrg: () => call(who, organizations.create, { name: nameOf(step), slug: nameOf(step) }),
    renameOrg: () => call(who, organizations.update, { id, name: nameOf(step), slug: nameOf(step) }),
    deleteOrg: () => call(who, organizations.remove, { id }),
    createSite: () => call(who, sites.create, { orgId: ids.org[ofOf(step)] ?? nowhere, name: nameOf(step) }),
    renameSite: () => call(who, sites.update, { id, name: nameOf(step) }),
    deleteSite: () => call(who, sites.remove, { id }),
    createRole: () => call(who, roles.create, { name: nameOf(step), parentRoleId: roleAt(ofOf(step)) }),
    renameRole: () => call(who, roles.update, { id, name: nameOf(step) }),
    deleteRole: () => call(who, roles.remove, { id }),
    moveRole: () => call(who, roles.update, { id, parentRoleId: roleAt(ofOf(step)) }),
  }
  try {
    const made = await does[step.do]()
    return step.do.startsWith('create') && 'id' in made ? { status: 201, made: made.id } : { status: 200 }
  } catch (error) {
    if (error instanceof AppError) return { status: error.status }
    throw error
  }
}
const nameOf = (step: Step) => ('name' in step ? step.name : '')
const ofOf = (step: Step) => ('of' in step ? step.of : -1)

/** What the lists show, in the model's format. */
export async function shown({ partnerAdmin: who }: World, ids: Ids) {
  const list = async (kind: Kind, found: readonly { id: string; name: string }[]) =>
    found
      .filter(({ id }) => ids[kind].includes(id))
      .map(({ id, name }) => `${ids[kind].indexOf(id)} ${name}`)
      .sort()
  return {
    org: await list('org', (await call(who, organizations.list, { limit: 100 })).data),
    site: await list('site', (await call(who, sites.list, { limit: 100 })).data),
    role: await list('role', (await call(who, roles.list, {})).data),
  }
}

/** What the lists should show. Sites of deleted organizations are kept and not listed. */
export function listed(state: State) {
  const lines = (kind: Kind) =>
    state[kind]
      .map((thing, at) => ({ ...thing, at }))
      .filter(({ gone, of }) => !gone && (kind !== 'site' || state.org[of ?? -1]?.gone === false))
      .map(({ name, at }) => `${at} ${name}`)
      .sort()
  return { org: lines('org'), site: lines('site'), role: lines('role') }
}

const at = fc.nat(3)
const name = fc.constantFrom('a', 'b', 'c', 'd')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('createOrg', 'createSite', 'createRole'), name, of: at }),
  fc.record({ do: fc.constantFrom('renameOrg', 'renameSite', 'renameRole'), at, name }),
  fc.record({ do: fc.constantFrom('deleteOrg', 'deleteSite', 'deleteRole'), at }),
  fc.record({ do: fc.constant('moveRole' as const), at, of: at }),
)

/** Rounds of steps: one step alone, or two at the same time. */
export const story: fc.Arbitrary<Step[][]> = fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), {
  minLength: 3,
  maxLength: 12,
})
