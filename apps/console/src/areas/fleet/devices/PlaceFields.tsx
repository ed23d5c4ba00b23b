import { useApiQuery, useFullList } from '../../../queries.ts'
import { Options, SelectField } from '../../../ui/form/fields.tsx'

interface Props {
  readonly orgId: string
  readonly siteId: string | null
  choose(orgId: string, siteId: string | null): void
}

/** An organization, and one of its sites or none. */
export function PlaceFields({ orgId, siteId, choose }: Props) {
  const organizations = useApiQuery((api) => api.tenancy.organizations.all, {}).data?.data ?? []
  const sites = useFullList((api) => api.tenancy.sites.list, { orgId }, { enabled: orgId !== '' }).data ?? []
  return (
    <>
      <SelectField label="Organization" value={orgId} onChange={({ target }) => choose(target.value, null)}>
        {orgId === '' && <option value="">Select an organization</option>}
        <Options of={organizations} />
      </SelectField>
      <SelectField
        label="Site"
        optional
        value={siteId ?? ''}
        onChange={({ target }) => choose(orgId, target.value || null)}
      >
        <option value="">None</option>
        <Options of={sites} />
      </SelectField>
    </>
  )
}
