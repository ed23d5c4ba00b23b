import { useQuery } from '@tanstack/react-query'
import { useScopeKey } from '../../../../session/session.tsx'
import { CheckField } from '../../../../ui/form/fields.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import { type DeviceFilters, listKey, readDevices } from '../deviceQuestion.ts'

interface Props {
  readonly label: string
  readonly checked: boolean
  /** The list with this value alone. */
  readonly filters: DeviceFilters
  change(on: boolean): void
}

/** A value to filter by, with the number of devices that have it. */
export function Facet({ label, checked, filters, change }: Props) {
  const scope = useScopeKey()
  const { data } = useQuery({
    queryKey: [...listKey(scope, filters), 'count'],
    queryFn: ({ signal }) => readDevices(filters, { limit: 1, includeTotal: true }, signal),
    staleTime: 5_000,
  })
  return (
    <span className="flex items-center justify-between gap-4">
      <CheckField label={label} checked={checked} onChange={change} />
      <span className="text-muted text-xs tabular">{data?.total === undefined ? '…' : count(data.total)}</span>
    </span>
  )
}
