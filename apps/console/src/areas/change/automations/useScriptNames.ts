import type { ActionType } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import { useMemo } from 'react'
import { useFullList } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'

/** Names the scripts that actions run, as far as the signed-in user can see them. */
export function useScriptNames(actions: readonly { readonly type: ActionType | string }[]) {
  const enabled = useCan()('scripts:read') && actions.some(({ type }) => type === 'run_script' || type === 'deploy')
  const { data } = useFullList((api) => api.scripts.scripts.list, {}, { enabled, staleMs: 60_000 })
  return useMemo(() => {
    const names = new Map(data?.map(({ id, name }) => [id, name]))
    return (id: string) => names.get(id)
  }, [data])
}
