import { useApiQuery } from '../../../../queries.ts'
import { useMe } from '../../../../session/session.tsx'
import { Options, SelectField } from '../../../../ui/form/fields.tsx'
import { mayOwnAll } from './useOwner.ts'

interface Props {
  /** Null for the whole partner. */
  readonly orgId: string | null
  readonly isFixed: boolean
  choose(orgId: string | null): void
}

/** To whom something belongs: one organization, or the whole partner. */
export function OwnerField({ orgId, isFixed, choose }: Props) {
  const me = useMe()
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data
  return (
    <SelectField
      label="Organization"
      disabled={isFixed || me.scope === 'organization'}
      value={orgId ?? ''}
      onChange={({ target }) => choose(target.value || null)}
    >
      <option value="">{isFixed || mayOwnAll(me) ? 'All organizations' : 'Select an organization'}</option>
      <Options of={organizations} />
    </SelectField>
  )
}
