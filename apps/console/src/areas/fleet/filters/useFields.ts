import type { Field } from '@muster/areas/fleet/filter-language/fields.contract.ts'
import { useMemo } from 'react'
import { useFullList } from '../../../queries.ts'
import { builtInFields, type Fields } from './draft.ts'

/** What devices can be filtered by: the fields that all have, and those that tenants have defined. */
export function useFields(orgId?: string): Fields {
  const { data } = useFullList((api) => api.customFields.customFields.list, orgId ? { orgId } : {}, { staleMs: 60_000 })
  return useMemo(() => {
    const own = (data ?? []).map(({ key, label, type, options }): [string, Field] => [
      `custom.${key}`,
      { type, label, ...(type === 'choice' && { values: options }) },
    ])
    return new Map([...builtInFields, ...own])
  }, [data])
}
