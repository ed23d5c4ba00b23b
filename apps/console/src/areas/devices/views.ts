import { useSyncExternalStore } from 'react'
import { useScopeKey } from '../../session/session.tsx'
import { type DevicesSearch, devicesSearch } from './routes.ts'

/** A list under a name: what it asks for and which columns it shows. Kept by this browser, for the person in its place. */
export interface View {
  readonly name: string
  readonly search: DevicesSearch
}

const listeners = new Set<() => void>()
const keyOf = (scope: string) => `muster.views/${scope}`
const cache = new Map<string, readonly View[]>()

function read(scope: string): readonly View[] {
  const known = cache.get(scope)
  if (known) return known
  const given: unknown = JSON.parse(localStorage.getItem(keyOf(scope)) ?? '[]')
  const views = Array.isArray(given) ? given.flatMap(asView) : []
  cache.set(scope, views)
  return views
}

// An older version of the console may have written it.
function asView(given: unknown): View[] {
  const { name, search }: { name?: unknown; search?: unknown } =
    given !== null && typeof given === 'object' ? given : {}
  const isWhole = typeof name === 'string' && search !== null && typeof search === 'object'
  return isWhole ? [{ name, search: devicesSearch({ ...search }) }] : []
}

function write(scope: string, views: readonly View[]) {
  cache.set(scope, views)
  localStorage.setItem(keyOf(scope), JSON.stringify(views))
  for (const tell of listeners) tell()
}

/** The saved views of the person, here. */
export function useViews() {
  const scope = useScopeKey()
  const views = useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => read(scope),
  )
  return {
    views,
    save: (view: View) => write(scope, [...views.filter(({ name }) => name !== view.name), view]),
    remove: (name: string) =>
      write(
        scope,
        views.filter((view) => view.name !== name),
      ),
  }
}
