import { useApiQuery, useFullList } from '../../../queries.ts'
import type { Tenant } from '../../../shell/tenant.tsx'
import { CheckList } from '../../../ui/form/CheckList.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { SelectField } from '../../../ui/form/fields.tsx'

/** What a member can access, as the form holds it. */
interface Reach {
  readonly orgAccess: 'all' | 'selected' | 'none'
  readonly orgIds: string[]
  readonly siteIds: string[] | null
  readonly deviceGroupIds: string[] | null
}
export const everywhere: Reach = { orgAccess: 'all', orgIds: [], siteIds: null, deviceGroupIds: null }

/** The input of the operations. Members of a partner are limited to organizations, members of an organization to sites and groups. */
export const reachInput = (kind: Tenant['kind'], { orgAccess, orgIds, siteIds, deviceGroupIds }: Reach) =>
  kind === 'organization' ? { siteIds, deviceGroupIds } : { orgAccess, ...(orgAccess === 'selected' && { orgIds }) }

interface Props {
  readonly tenant: Tenant
  readonly orgId: string | undefined
  readonly reach: Reach
  change(reach: Reach): void
}

/** What a member can access: organizations, or sites and device groups of one organization. */
export function ReachFields(props: Props) {
  return props.tenant.kind === 'partner' ? <OrganizationChoice {...props} /> : <PartChoice {...props} />
}

const accesses = [
  ['all', 'All organizations, including new ones'],
  ['selected', 'Selected organizations'],
  ['none', 'No organizations'],
] as const

function OrganizationChoice({ tenant, reach, change }: Props) {
  const all = useApiQuery((api) => api.tenancy.organizations.all, {}, { staleMs: 30_000 }).data?.data ?? []
  const { partnerId } = tenant.input
  const own = partnerId ? all.filter((each) => each.partnerId === partnerId) : all
  return (
    <>
      <ChoiceField
        label="Access"
        value={reach.orgAccess}
        options={accesses}
        choose={(orgAccess) => change({ ...reach, orgAccess })}
      />
      {reach.orgAccess === 'selected' && (
        <CheckList
          label="Organizations"
          choices={own.map(({ id, name }) => ({ id, label: name }))}
          chosen={reach.orgIds}
          change={(orgIds) => change({ ...reach, orgIds })}
        />
      )}
    </>
  )
}

function PartChoice({ orgId, reach, change }: Props) {
  const of = orgId ? { orgId } : {}
  const sites = useFullList((api) => api.tenancy.sites.list, { ...of }, { staleMs: 30_000 }).data ?? []
  const groups = useFullList((api) => api.groups.groups.list, { ...of }, { staleMs: 30_000 }).data ?? []
  return (
    <>
      <Limit
        label="Sites"
        all="All sites"
        some="Selected sites"
        choices={sites.map(({ id, name }) => ({ id, label: name }))}
        chosen={reach.siteIds}
        change={(siteIds) => change({ ...reach, siteIds })}
      />
      <Limit
        label="Device groups"
        all="All devices of these sites"
        some="Devices of selected groups"
        choices={groups.map(({ id, name }) => ({ id, label: name }))}
        chosen={reach.deviceGroupIds}
        change={(deviceGroupIds) => change({ ...reach, deviceGroupIds })}
      />
    </>
  )
}

interface LimitProps {
  readonly label: string
  readonly all: string
  readonly some: string
  readonly choices: readonly { readonly id: string; readonly label: string }[]
  readonly chosen: string[] | null
  change(chosen: string[] | null): void
}
function Limit({ label, all, some, choices, chosen, change }: LimitProps) {
  return (
    <>
      <SelectField
        label={`Access to ${label.toLowerCase()}`}
        value={chosen === null ? 'all' : 'some'}
        onChange={({ target }) => change(target.value === 'all' ? null : [])}
      >
        <option value="all">{all}</option>
        <option value="some">{some}</option>
      </SelectField>
      {chosen !== null && (
        <CheckList
          label={label}
          hint={chosen.length === 0 ? 'Select at least one, or the member sees no devices.' : undefined}
          choices={choices}
          chosen={chosen}
          change={change}
        />
      )}
    </>
  )
}
